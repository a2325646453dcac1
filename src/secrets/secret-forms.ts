import { MIN_PATTERN_BYTES } from "./find-patterns";

/** Lines of a key in PEM format are random; shorter lines of a text may be words. */
const MIN_LINE_CHARS = 24;

/**
 * The forms in which a secret may be written: as it is, in JSON (once, twice, and with `<`, `>`, `&` escaped), in addresses, in
 * forms, in hexadecimal, and as a part of something in base64 or base64url. A secret of several lines is also looked for line by
 * line. Not found are pieces of a secret, and other ways to change it: reversed, compressed, encrypted, in upper case.
 *
 * @returns texts without repetition; none is shorter than MIN_PATTERN_BYTES
 */
export function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith("-----"));
  const forms = [secret, ...lines].flatMap((text) => {
    const json = inJson(text);
    const percent = encodeURIComponent(text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD"));
    return [
      text,
      json,
      inJson(json),
      json.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
      percent,
      percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      percent.replaceAll("%20", "+"),
      ...inBase64(text),
      Buffer.from(text).toString("hex"),
      Buffer.from(text).toString("hex").toUpperCase(),
    ];
  });
  return [...new Set(forms)].filter((form) => Buffer.byteLength(form) >= MIN_PATTERN_BYTES);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What does not depend on the bytes before and after: three texts, one for each place within three bytes. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    // Each character stands for six bits.
    const inner = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

import { inAddresses } from "./address-forms";
import { MIN_PATTERN_BYTES } from "./find-patterns";

/** Lines of a key in PEM format are random; shorter lines of a text may be words. */
const MIN_LINE_CHARS = 24;

const PEM_BLOCK = /(-----BEGIN ([A-Z0-9 ]+)-----)(.*?)(-----END \2-----)/gs;
/** A line's end, or how JSON and shells write one: `\n`. */
const LINE_END = /\r?\n|(?:\\+r)?\\+n/;

/**
 * The forms in which a secret may be written: as it is, in JSON (once, twice, and with `<`, `>`, `&` escaped), in addresses and forms
 * (address-forms.ts), in hexadecimal, and as a part of something in base64 or base64url. A secret of several lines is also looked for
 * line by line, and a block in PEM format with other line ends. Not found are pieces of a secret, and other ways to change it:
 * reversed, compressed, encrypted, in upper case.
 *
 * @returns texts without repetition; none is shorter than MIN_PATTERN_BYTES
 */
export function formsOf(secret: string): string[] {
  const whole = [secret, ...pemBlocks(secret)];
  const lines = whole
    .flatMap((text) => text.split(/\r?\n/))
    .filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith("-----"));
  const forms = [...new Set([...whole, ...lines])].flatMap((text) => {
    const json = inJson(text);
    return [
      text,
      json,
      inJson(json),
      json.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
      ...inAddresses(text),
      ...inBase64(text),
      Buffer.from(text).toString("hex"),
      Buffer.from(text).toString("hex").toUpperCase(),
    ];
  });
  return [...new Set(forms)].filter((form) => Buffer.byteLength(form) >= MIN_PATTERN_BYTES);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The blocks in PEM format with each kind of line ends. An environment often has a key as one line, with `\n` or spaces in it. */
function pemBlocks(secret: string): string[] {
  return [...secret.matchAll(PEM_BLOCK)].flatMap(([, begin = "", , body = "", end = ""]) => {
    const lines = body.split(LINE_END.test(body) ? LINE_END : /\s+/).filter((line) => line !== "");
    return ["\n", "\r\n", "\\n"].map((lineEnd) => [begin, ...lines, end].join(lineEnd));
  });
}

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

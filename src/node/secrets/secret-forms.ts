import { MIN_PATTERN_BYTES } from "./find-patterns";

/** Lines of a key in PEM format are random; shorter lines of a text may be words. */
const MIN_LINE_CHARS = 24;

const PEM_BLOCK = /(-----BEGIN ([A-Z0-9 ]+)-----)(.*?)(-----END \2-----)/gs;
/** A line's end, or how JSON and shells write one: `\n`. */
const LINE_END = /\r?\n|(?:\\+r)?\\+n/;

/**
 * The forms in which a secret may be written: as it is, in JSON (once, twice, and with `<`, `>`, `&` escaped), in addresses and forms, in hexadecimal, and as a part of something in base64 or base64url. A secret of several lines is also looked for
 * line by line, and a block in PEM format with other line ends. `unfolded` adds base64 in lines and `\u0073`.
 * Not found are pieces of a secret, and other ways to change it: reversed, compressed, encrypted, in upper case.
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

/** Which of `! $ & ' ( ) * + , ; = : @ / ?` stay, besides those of the rule: in parameters, paths, user names, paths of several parts and queries. */
const LEFT = ["", "/", "$&+,", "$&+,;=", "$&+=:@", "$&+,;=:@", "$&+,;=:@/?"];

/**
 * The spellings of encodeURIComponent, encodeURI, RFC 3986 (`%21` for `!`), URLSearchParams and URL. All write `%` and two digits for a
 * character; they differ in the characters that they leave as they are.
 */
function inAddresses(text: string): string[] {
  const known = text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
  const component = encodeURIComponent(known);
  const strict = component.replace(/[!'()*]/g, percent);
  const spellings = [component, strict].flatMap((all) => LEFT.map((left) => leaving(left, all)));
  const form = new URLSearchParams([["", known]]).toString().slice(1);
  const forms = [...new Set([...spellings, encodeURI(known), form, ...inUrl(known)])].flatMap((spelling) => [
    spelling,
    spelling.replaceAll("%20", "+"),
  ]);
  return [...new Set(forms)].flatMap((spelling) => [
    spelling,
    spelling.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

const leaving = (left: string, spelling: string): string =>
  spelling.replace(/%[0-9A-F]{2}/g, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return left.includes(char) ? char : code;
  });

/** As a password, in a path, in a query, and after `#`: URL writes each in its own way, and in addresses of the web in another one. */
function inUrl(text: string): string[] {
  const escaped = text.replaceAll("%", "%25");
  return ["http://localhost", "other://localhost"].flatMap((base) => {
    const url = Object.assign(new URL(base), {
      password: escaped,
      pathname: `/${escaped}`,
      search: escaped,
      hash: escaped,
    });
    return [url.password, ...[url.pathname, url.search, url.hash].map((part) => part.slice(1))];
  });
}

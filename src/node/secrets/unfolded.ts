/** Bytes without line breaks in base64, and with characters in place of escapes like `\u0073`. */
export interface Unfolded {
  bytes: Uint8Array;
  /** The place of each of these bytes in the text, and at the end the length of the text. */
  places: Uint32Array;
}

/** A part of the bytes that stands for other ones: for none, or for a character. */
interface Fold {
  from: number;
  to: number;
  means: Uint8Array;
}

/** The bytes without line breaks in base64 and without escapes of characters; null: they have neither. */
export function unfolded(bytes: Uint8Array): Unfolded | null {
  const folds = foldsIn(bytes);
  if (folds.length === 0) return null;
  const made = new Uint8Array(bytes.length);
  const places = new Uint32Array(bytes.length + 1);
  let done = 0;
  let length = 0;
  for (const { from, to, means } of [...folds, { from: bytes.length, to: bytes.length, means: NOTHING }]) {
    for (; done < from; done++, length++) {
      made[length] = bytes[done] as number;
      places[length] = done;
    }
    for (const byte of means) {
      made[length] = byte;
      places[length++] = from;
    }
    done = to;
  }
  places[length] = bytes.length;
  return { bytes: made.subarray(0, length), places: places.subarray(0, length + 1) };
}

const NOTHING = new Uint8Array();
const [LF, CR, BACKSLASH, N, R, U] = [0x0a, 0x0d, 0x5c, 0x6e, 0x72, 0x75] as const;

/** One pass: text that a stranger wrote must not make the search slow. */
function foldsIn(bytes: Uint8Array): Fold[] {
  const folds: Fold[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== BACKSLASH && byte !== LF && byte !== CR) continue;
    const fold = escapeAt(bytes, at) ?? breakAt(bytes, at);
    if (fold === null) at = Math.max(at, afterSlashes(bytes, at) - 1);
    else {
      folds.push(fold);
      at = fold.to - 1;
    }
  }
  return folds;
}

/** JSON in JSON has more than one. */
function afterSlashes(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === BACKSLASH) at += 1;
  return at;
}

/** A character as `\u0073`; an emoji is two of them. Control characters stay: a line break has a meaning in masks line by line. */
function escapeAt(bytes: Uint8Array, from: number): Fold | null {
  const first = unitAt(bytes, from);
  if (first === null || first.code < 0x20) return null;
  const second = first.code >= 0xd800 && first.code <= 0xdbff ? unitAt(bytes, first.to) : null;
  const codes = second === null ? [first.code] : [first.code, second.code];
  return { from, to: (second ?? first).to, means: Buffer.from(String.fromCharCode(...codes)) };
}

function unitAt(bytes: Uint8Array, from: number): { code: number; to: number } | null {
  const at = afterSlashes(bytes, from);
  if (at === from || bytes[at] !== U) return null;
  const digits = String.fromCharCode(...bytes.subarray(at + 1, at + 5));
  return /^[\da-f]{4}$/i.test(digits) ? { code: Number.parseInt(digits, 16), to: at + 5 } : null;
}

/** Lines of base64 are longer. */
const MIN_LINE_BYTES = 20;

/** A line break between characters of base64, as it is or as `\n` in JSON. */
function breakAt(bytes: Uint8Array, from: number): Fold | null {
  const carriage = oneOf(bytes, from, CR, R);
  const to = oneOf(bytes, carriage ?? from, LF, N);
  if (to === null || !isBase64(bytes[to])) return null;
  for (let at = from - MIN_LINE_BYTES; at < from; at++) if (!isBase64(bytes[at])) return null;
  return { from, to, means: NOTHING };
}

/** After a control character, or its escape with a letter; null: there is none. */
function oneOf(bytes: Uint8Array, from: number, control: number, letter: number): number | null {
  if (bytes[from] === control) return from + 1;
  const at = afterSlashes(bytes, from);
  return at > from && bytes[at] === letter ? at + 1 : null;
}

const BASE64 = new Set(Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="));
const isBase64 = (byte: number | undefined): boolean => byte !== undefined && BASE64.has(byte);

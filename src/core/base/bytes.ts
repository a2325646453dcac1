import type { Json } from "./json";

/** Length in bytes of the UTF-8 form, without building it. */
export function utf8Bytes(text: string): number {
  if (!/[^\0-\x7f]/.test(text)) return text.length;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) bytes += 1;
    else if (c < 0x800) bytes += 2;
    else if (c >= 0xd800 && c < 0xdc00) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** Size of a value as it will travel. */
export function jsonBytes(value: Json): number {
  return utf8Bytes(JSON.stringify(value));
}

/** The beginning of a text in at most so many bytes of UTF-8, never half a character. */
export function cutBytes(text: string, max: number): string {
  if (text.length * 3 <= max || utf8Bytes(text) <= max) return text;
  let bytes = 0;
  let at = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > max) break;
    at += character.length;
  }
  return text.slice(0, at);
}

/** A text cut to what Temporal takes as a summary: it refuses one of more than 400 bytes, and details of more than 20,000. */
export const shownSummary = (text: string): string => cutBytes(text, 390);
/** A text cut to what Temporal takes as the details of a workflow or a call. */
export const shownDetails = (text: string): string => cutBytes(text, 19_000);

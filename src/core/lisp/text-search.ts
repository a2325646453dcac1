import { min } from "./host";

/**
 * Finding a text in a text, in time that grows with their lengths and not with the product of them. The host's own search
 * is quicker on usual texts and takes minutes for some, `aaaa...b` in `aaaa...` among them; it is used for short ones.
 * Knuth, Morris and Pratt: after a mismatch the part is moved on to where its beginning matches what was just read.
 */
const SHORT = 4_096;

const isShort = (text: string, part: string): boolean => part.length <= 1 || text.length * part.length <= SHORT;

/** Offset (in UTF-16 units) of the first occurrence at or after `from`, -1 for none. */
export function findText(text: string, part: string, from = 0): number {
  if (isShort(text, part)) return text.indexOf(part, from);
  return findFrom(text, part, from, fallbacks(part, false));
}

/** Offset of the last occurrence that begins at or before `from`, -1 for none. */
export function findLastText(text: string, part: string, from = text.length): number {
  if (isShort(text, part)) return text.lastIndexOf(part, from);
  const back = fallbacks(part, true);
  const { length } = part;
  let matched = 0;
  for (let at = min(text.length, from + length) - 1; at >= 0; at--) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(length - 1 - matched) !== unit) matched = back[matched - 1] as number;
    if (part.charCodeAt(length - 1 - matched) === unit) matched += 1;
    if (matched === length) return at;
  }
  return -1;
}

/** The parts between occurrences; `separator` is not empty. */
export function splitText(text: string, separator: string): string[] {
  if (isShort(text, separator)) return text.split(separator);
  const back = fallbacks(separator, false);
  const parts: string[] = [];
  let last = 0;
  for (;;) {
    const at = findFrom(text, separator, last, back);
    if (at < 0) break;
    parts.push(text.slice(last, at));
    last = at + separator.length;
  }
  parts.push(text.slice(last));
  return parts;
}

function findFrom(text: string, part: string, from: number, back: readonly number[]): number {
  const { length } = part;
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = back[matched - 1] as number;
    if (part.charCodeAt(matched) === unit) matched += 1;
    if (matched === length) return at - length + 1;
  }
  return -1;
}

/** For each count of matched units (less one): how many still match when the last of them is followed by another. */
function fallbacks(part: string, backwards: boolean): number[] {
  const last = part.length - 1;
  const unitAt = (i: number) => part.charCodeAt(backwards ? last - i : i);
  const back = [0];
  let matched = 0;
  for (let i = 1; i <= last; i++) {
    while (matched > 0 && unitAt(matched) !== unitAt(i)) matched = back[matched - 1] as number;
    if (unitAt(matched) === unitAt(i)) matched += 1;
    back.push(matched);
  }
  return back;
}

import { HostInts, min } from "../../base/intrinsics";

/**
 * Finds a text in a text, in time that grows with the sum of their lengths and not with the product. The host's own
 * search is faster on usual texts but takes minutes for some, such as `aaaa...b` in `aaaa...`; it is used for short
 * texts only. The algorithm is that of Knuth, Morris and Pratt: after a mismatch the part moves to where its beginning
 * matches what was just read.
 */
const SHORT = 4_096;

/** Whether the host's own search is fast for these two, also when it finds nothing. */
const isEasy = (text: string, part: string): boolean =>
  part.length <= 1 || part.length > text.length || text.length * part.length <= SHORT;

/** The cost of a search beyond reading the text once. */
export const searchSteps = (text: string, part: string): number =>
  isEasy(text, part) ? 0 : (text.length >> 6) + (part.length >> 4);

/** Offset (in UTF-16 units) of the first occurrence at or after `from`, -1 for none. */
export function findText(text: string, part: string, from = 0): number {
  if (isEasy(text, part)) return text.indexOf(part, from);
  return findFrom(text, part, from, fallbacks(part, false));
}

/** Offset of the last occurrence that begins at or before `from`, -1 for none. */
export function findLastText(text: string, part: string, from = text.length): number {
  if (isEasy(text, part)) return text.lastIndexOf(part, from);
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

/** The parts between occurrences; `separator` is not empty. `charge` is called with the number of parts as it grows. */
export function splitText(text: string, separator: string, charge: (parts: number) => void): string[] {
  if (isEasy(text, separator)) {
    let parts = 1;
    for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length)) parts += 1;
    charge(parts);
    return text.split(separator);
  }
  const back = fallbacks(separator, false);
  const parts: string[] = [];
  let last = 0;
  for (;;) {
    const at = findFrom(text, separator, last, back);
    if (at < 0) break;
    parts.push(text.slice(last, at));
    if ((parts.length & 1023) === 0) charge(parts.length);
    last = at + separator.length;
  }
  parts.push(text.slice(last));
  return parts;
}

function findFrom(text: string, part: string, from: number, back: ArrayLike<number>): number {
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
function fallbacks(part: string, backwards: boolean): ArrayLike<number> {
  const last = part.length - 1;
  const unitAt = (i: number) => part.charCodeAt(backwards ? last - i : i);
  const back = new HostInts(part.length);
  let matched = 0;
  for (let i = 1; i <= last; i++) {
    while (matched > 0 && unitAt(matched) !== unitAt(i)) matched = back[matched - 1] as number;
    if (unitAt(matched) === unitAt(i)) matched += 1;
    back[i] = matched;
  }
  return back;
}

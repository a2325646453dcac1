/**
 * Strings as sequences of user-perceived characters. The rules are our own: the tables of the host's segmenter change
 * with its Unicode version and would break replays. Covered: combining marks, variation selectors, emoji modifiers and
 * joiner sequences, flags (pairs of regional indicators), CR LF. Not covered: Hangul jamo sequences, prepended marks.
 */

// Anything outside these ranges may take part in a longer character.
const PLAIN =
  /^[\x20-\x7e\t\n\xa0-\u02ff\u0370-\u0482\u048a-\u0590\u2010-\u201f\u2022-\u202f\u3040-\u3098\u30a0-\u9fff]*$/;
const EXTENDS = /^(?:\p{M}|\u200c|\u200d|[\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}])$/u;
const JOINER = "\u200d";

/** Whether each UTF-16 unit of the text is a whole character. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The characters of a text, in order. */
export function graphemes(text: string): string[] {
  if (isPlain(text)) return text.split("");
  const out: string[] = [];
  let flagOpen = false;
  let joined = false;
  for (const point of text) {
    const regional = point >= "\u{1f1e6}" && point <= "\u{1f1ff}" && point.length === 2;
    const previous = out.length - 1;
    const attaches: boolean =
      previous >= 0 &&
      (joined ||
        (regional && flagOpen) ||
        (point === "\n" && out[previous] === "\r") ||
        (EXTENDS.test(point) && !isControl(out[previous]!)));
    if (attaches) out[previous] += point;
    else out.push(point);
    flagOpen = regional && !(attaches && flagOpen);
    joined = point === JOINER && previous >= 0 && attaches;
  }
  return out;
}

const isControl = (text: string): boolean => text === "\n" || text === "\r" || text === "\t";

/** The number of characters as people count them. */
export function graphemeCount(text: string): number {
  return isPlain(text) ? text.length : graphemes(text).length;
}

/** Whether a text is exactly one character. */
export function isOneCharacter(text: string): boolean {
  if (text.length === 0 || text.length > 64) return false;
  return text.length === 1 || graphemes(text).length === 1;
}

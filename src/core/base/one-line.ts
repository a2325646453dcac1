/**
 * A text in one line. Where each line has a meaning by its place, as in `- [done] id: value`, a line break in a text
 * from outside would make a line that nobody wrote. Models, terminals and editors break lines at more characters than
 * `\n`: at U+2028, U+2029, U+0085 and the separators of ASCII, too.
 */

const BREAKS = /[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/g;
const BLANKS = /[\s\u001c-\u001e\u0085]+/g;
const SHORT: { [character: string]: string } = { "\n": "\\n", "\r": "\\r" };

/** The text with its line breaks as `\n`, `\r` or `\u2028`, for values: what differs stays different. */
export const escapeLineBreaks = (text: string): string =>
  text.replace(BREAKS, (found) => SHORT[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The text with a blank in place of each line break and the blanks around it, for prose. */
export const joinLines = (text: string): string =>
  text.replace(BLANKS, (found) => (found.search(BREAKS) < 0 ? found : " "));

/** The lines of a text, whatever ends them. */
export const linesOf = (text: string): string[] => text.split(/\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/);

/**
 * What a terminal would take as a command, or a reader would see in another order than it is written: control characters
 * (but not line ends and tabs), line separators, and the marks that turn the direction of text around.
 */
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** The colours of our own texts (`createColors`). */
const OWN_STYLE = /^\u001b\[(?:1|2|22|3[1236]|39)m/;
/** An escape sequence of our own, or one character that is not for the terminal. */
const FOUND = new RegExp(`\\r\\n|${OWN_STYLE.source.slice(1)}|${COMMANDS.source}`, "g");

/**
 * A text as a terminal may have it. Texts of models, tools and people may contain anything: an escape sequence could
 * overwrite what was printed before, set the clipboard or hide a link. Such characters are shown as `\u001b`; the colours
 * of the command line itself stay.
 */
export function printable(text: string): string {
  return text.replace(FOUND, (found) => (found === "\r\n" ? "\n" : OWN_STYLE.test(found) ? found : shown(found)));
}

const shown = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

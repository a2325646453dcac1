const CLOSING: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/**
 * The state at the end of a text: how many brackets are open there (not counting those in strings, comments and
 * character literals), and whether it ends inside a string or a comment. A bracket that closes the wrong one ends the
 * scan: no later text can correct it.
 */
export function endOfText(text: string): { open: number; inside: "code" | "string" | "comment" } {
  const open: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === ";") {
      const end = text.indexOf("\n", i);
      if (end < 0) return { open: open.length, inside: "comment" };
      i = end;
    } else if (c === "\\") i += 1;
    else if (c === '"') {
      const end = stringEnd(text, i + 1);
      if (end < 0) return { open: open.length, inside: "string" };
      i = end;
    } else if (c in CLOSING) open.push(CLOSING[c] as string);
    else if (")]}".includes(c) && open.length > 0 && open.pop() !== c) return { open: 0, inside: "code" };
  }
  return { open: open.length, inside: "code" };
}

/** Whether a text is complete, or continues on the next line. */
export function isComplete(text: string): boolean {
  const { open, inside } = endOfText(text);
  return open === 0 && inside !== "string";
}

function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === '"') return i;
  }
  return -1;
}

/** The source line of a place (1-based) with a mark below it, or "" when the place is not in the text. */
export function excerpt(source: string, line: number, column: number): string {
  const text = source.split("\n")[line - 1]?.replace(/\r$/, "");
  if (text === undefined || column < 1) return "";
  // A very long line would hide the mark, so only its surroundings are shown.
  const start = Math.max(0, column - 61);
  const shown = text.slice(start, start + 120);
  const number = String(line);
  const pad = [...shown.slice(0, column - 1 - start)].map(blankFor).join("");
  return `${number} | ${shown}\n${" ".repeat(number.length)} | ${pad}^`;
}

const NO_WIDTH = /\p{M}|[\u200b-\u200d]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;

/** Blanks with the width of the character on a terminal. */
function blankFor(c: string): string {
  if (c === "\t") return c;
  return NO_WIDTH.test(c) ? "" : WIDE.test(c) ? "  " : " ";
}

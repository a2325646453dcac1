/**
 * How many brackets a text leaves open, not counting those in strings, comments and character literals. A string
 * that is still open counts as one.
 */
export function openBrackets(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === ";") {
      const end = text.indexOf("\n", i);
      if (end < 0) break;
      i = end;
    } else if (c === "\\") i += 1;
    else if (c === '"') {
      const end = stringEnd(text, i + 1);
      if (end < 0) return depth + 1;
      i = end;
    } else if (c === "(" || c === "[" || c === "{") depth += 1;
    else if (c === ")" || c === "]" || c === "}") depth -= 1;
  }
  return Math.max(0, depth);
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
  const text = source.split("\n")[line - 1];
  if (text === undefined || column < 1) return "";
  // One long line would hide the mark: only its surroundings are shown.
  const start = Math.max(0, column - 61);
  const shown = text.slice(start, start + 120);
  const number = String(line);
  const pad = shown.slice(0, column - 1 - start).replace(/[^\t]/g, " ");
  return `${number} | ${shown}\n${" ".repeat(number.length)} | ${pad}^`;
}

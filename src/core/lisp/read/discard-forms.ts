import { characterEnd, commentEnd, stringEnd } from "./literals";

/**
 * Removes the `#_` forms of a program. The language does not have them, but models write them. A `#_` inside a string
 * or a comment is ordinary text. A form whose end cannot be found stays, and the reader refuses it with its place.
 */
export function withoutDiscarded(code: string): string {
  let kept = "";
  let from = 0;
  let pos = 0;
  while (pos < code.length) {
    if (!code.startsWith("#_", pos)) {
      pos = next(code, pos);
      continue;
    }
    const end = formsEnd(code, pos + 2);
    if (end === undefined) break;
    kept += code.slice(from, pos);
    from = end;
    pos = end;
  }
  return kept + code.slice(from);
}

/** The end of the form after a `#_`. Each further `#_` before it discards one more form. */
function formsEnd(code: string, start: number): number | undefined {
  let forms = 1;
  let pos = start;
  while (forms > 0) {
    while (pos < code.length && /[\s,;]/.test(code[pos] as string)) pos = next(code, pos);
    if (code.startsWith("#_", pos)) {
      forms += 1;
      pos += 2;
      continue;
    }
    const end = formEnd(code, pos);
    if (end === undefined) return undefined;
    forms -= 1;
    pos = end;
  }
  return pos;
}

/** The end of the form that begins at `start`, or undefined when it has none. */
function formEnd(code: string, start: number): number | undefined {
  let pos = start;
  while (pos < code.length && "#'`~@^".includes(code[pos] as string)) pos += 1;
  const c = code[pos];
  if (c === undefined || ")]}".includes(c)) return undefined;
  if ("([{".includes(c)) return bracketEnd(code, pos);
  if (c === '"') {
    const end = next(code, pos);
    return code[end - 1] === '"' && end > pos + 1 ? end : undefined;
  }
  const word = /(?:\\.)?[^\s,;()[\]{}"]*/sy;
  word.lastIndex = pos;
  word.exec(code);
  return word.lastIndex;
}

function bracketEnd(code: string, start: number): number | undefined {
  let depth = 0;
  for (let pos = start; pos < code.length; pos = next(code, pos)) {
    if ("([{".includes(code[pos] as string)) depth += 1;
    else if (")]}".includes(code[pos] as string) && --depth === 0) return pos + 1;
  }
  return undefined;
}

/** The position after the string, comment, character literal or single character at `pos`. */
function next(code: string, pos: number): number {
  switch (code[pos]) {
    case "\\":
      return characterEnd(code, pos);
    case ";":
      return Math.min(commentEnd(code, pos) + 1, code.length);
    case '"':
      return stringEnd(code, pos) ?? code.length;
    default:
      return pos + 1;
  }
}

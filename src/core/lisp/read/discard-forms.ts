/**
 * A program without its `#_` forms, which the language does not have but models write. A `#_` inside a string or a
 * comment is text like any other; what cannot be skipped stays, for the reader to refuse with its place.
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

/** Where the form after a `#_` ends. Each further `#_` in front of it takes one form more. */
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

/** Where the form that begins at `start` ends; undefined when it does not. */
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

/** Behind the string, comment, character literal or single character at `pos`. */
function next(code: string, pos: number): number {
  switch (code[pos]) {
    case "\\":
      return Math.min(pos + 2, code.length);
    case ";": {
      const end = code.indexOf("\n", pos);
      return end < 0 ? code.length : end + 1;
    }
    case '"':
      for (let at = pos + 1; at < code.length; at++) {
        if (code[at] === "\\") at += 1;
        else if (code[at] === '"') return at + 1;
      }
      return code.length;
    default:
      return pos + 1;
  }
}

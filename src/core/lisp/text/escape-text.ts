/**
 * A text as it stands between quotes. By splitting and joining: `replace` takes the host a hundred bytes for each
 * character that it finds, and a text may consist of them.
 */
export function escapeText(text: string): string {
  let escaped = text;
  for (const [character, written] of ESCAPES)
    if (escaped.includes(character)) escaped = escaped.split(character).join(written);
  return escaped;
}

/** The backslash comes first: the others are written with one. */
const ESCAPES: [string, string][] = [
  ["\\", "\\\\"],
  ['"', '\\"'],
  ["\n", "\\n"],
  ["\t", "\\t"],
];

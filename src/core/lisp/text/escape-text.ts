/**
 * A text as it is written between quotes. It splits and joins: `replace` needs a hundred bytes of host memory for each
 * character that it finds, and a text may consist of such characters only.
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

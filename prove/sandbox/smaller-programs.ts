const TOKEN = /"(?:[^"\\]|\\.)*"|;[^\n]*|#[({'"_]?|[()[\]{}]|\s+|[^\s()[\]{}";]+/gs;
const CLOSES: { [open: string]: string } = { "(": ")", "[": "]", "{": "}", "#(": ")", "#{": "}" };

/** Programs with less in them: a part left out, or a pair of brackets replaced by something that is inside. */
export function* smallerPrograms(source: string): Generator<string> {
  const tokens = source.match(TOKEN) ?? [];
  const parts = partsOf(tokens);
  for (const [from, to] of parts) yield without(tokens, from, to, []);
  for (const [from, to] of parts)
    for (const [first, last] of parts)
      if (from < first && last < to) yield without(tokens, from, to, tokens.slice(first, last + 1));
  for (let at = 0; at < tokens.length; at++) yield without(tokens, at, at, []);
}

const without = (tokens: readonly string[], from: number, to: number, instead: readonly string[]): string =>
  tokens.toSpliced(from, to - from + 1, ...instead).join("");

/** Every form: its first token and its last one, the longest first. */
function partsOf(tokens: readonly string[]): [from: number, to: number][] {
  const open: { at: number; close: string }[] = [];
  const parts: [number, number][] = [];
  for (const [at, token] of tokens.entries()) {
    const close = CLOSES[token];
    if (close !== undefined) open.push({ at, close });
    else if (open.at(-1)?.close === token) parts.push([(open.pop() as { at: number }).at, at]);
    else if (token.trim() !== "") parts.push([at, at]);
  }
  return parts.sort(([a, b], [c, d]) => d - c - (b - a));
}

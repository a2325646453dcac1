import { getEncoding, type Tiktoken } from "js-tiktoken";
import { onFirstUse } from "../../src/core/base/on-first-use";

/** Tokens of whole prompts, by o200k_base. Both sides of the comparison are counted by the same rule. */

/** What a chat format puts around each message. */
const AROUND = 3;

const encoding = onFirstUse((): Tiktoken => getEncoding("o200k_base"));
const counts = new Map<string, number>();

/** The tokens of a text. A conversation has the same texts again and again, so they are kept. */
export function tokensOf(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  const count = encoding().encode(text, "all").length;
  counts.set(text, count);
  return count;
}

export interface TokenTotals {
  calls: number;
  prompt: number;
  /** The part of the prompts that begins as the prompt before it did: what providers keep in a cache. */
  cached: number;
  output: number;
}

export const NO_TOKENS: TokenTotals = { calls: 0, prompt: 0, cached: 0, output: 0 };

export const addTotals = (a: TokenTotals, b: TokenTotals): TokenTotals => ({
  calls: a.calls + b.calls,
  prompt: a.prompt + b.prompt,
  cached: a.cached + b.cached,
  output: a.output + b.output,
});

/** The model calls of one conversation. */
export class TokenMeter {
  totals = NO_TOKENS;
  private last: readonly string[] = [];

  /** @param prompt the parts of the whole prompt: tools and system text, then one for each message */
  add(prompt: readonly string[], output: string): void {
    const sizes = prompt.map((part) => tokensOf(part) + AROUND);
    const differs = prompt.findIndex((part, at) => part !== this.last[at]);
    const same = differs < 0 ? prompt.length : differs;
    const sum = (some: number[]) => some.reduce((all, one) => all + one, 0);
    this.last = prompt;
    this.totals = addTotals(this.totals, {
      calls: 1,
      prompt: sum(sizes),
      cached: sum(sizes.slice(0, same)),
      output: tokensOf(output),
    });
  }
}

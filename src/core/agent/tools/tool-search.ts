import { onFirstUse } from "../../base/on-first-use";
import { joinLines } from "../../base/one-line";
import type { ToolSpec } from "../../calls/tool";
import { shortened } from "../../lisp/text/cut-text";
import type { FoundTool } from "../../lisp/values/context";
import { askedWords, asksForMany, plainWords, sameMeaning, wordsOf } from "./search-words";

/**
 * Finds tools by words (agent reference, section 4.5). Pure and deterministic: the same tools and words give the same
 * answer on every machine and every replay, so it costs no event.
 *
 * The score of a tool is the sum over the words of the query: how rare the word is among the tools, times where it was
 * found (name 4, description 2, parameters 1). A tool that has all words wins over one that has half of them.
 */

/** How many tools a search gives when nothing is said. */
const SEARCH_LIMIT = 8;
/** How many tools a search gives at most. */
export const MAX_SEARCH_LIMIT = 50;

/** Characters of a query and of a description in an answer. */
const MAX_QUERY_CHARS = 500;
const MAX_DESCRIPTION_CHARS = 200;

const WEIGHTS = { name: 4, description: 2, parameters: 1 };

/** Another word of the same meaning, or the beginning of a longer one, counts less than the word itself. */
const ALIKE = 0.5;
const BEGINS = 0.6;
const HINT = 0.25;
/** Shorter beginnings are in too many words. */
const MIN_BEGIN = 4;

/** The tools of an agent, prepared for searches. */
export class ToolSearch {
  private readonly entries = onFirstUse(() => this.specs.map(entryOf));
  private readonly counts = onFirstUse(() => {
    const counts = new Map<string, number>();
    for (const { words } of this.entries())
      for (const word of words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  });

  constructor(private readonly specs: readonly ToolSpec[]) {}

  get size(): number {
    return this.specs.length;
  }

  /** The tools that fit best, best first; of equal ones by name. Without a word that any tool has: none. */
  find(query: string, limit = SEARCH_LIMIT): FoundTool[] {
    const plain = plainWords(query.slice(0, MAX_QUERY_CHARS));
    const asked = askedWords(plain, (word) => this.counts().has(word));
    const isMany = asksForMany(plain);
    const scored = this.entries().flatMap((entry) => {
      const score = this.score(entry, asked);
      return score === 0 ? [] : [{ score: isMany ? score + this.hint(entry, "list") : score, spec: entry.spec }];
    });
    return scored
      .sort((a, b) => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1))
      .slice(0, Math.min(limit, MAX_SEARCH_LIMIT))
      .map(({ spec }) => foundTool(spec));
  }

  /** A word that the query only lets expect. */
  private hint({ words }: Entry, word: string): number {
    const weight = words.get(word);
    return weight === undefined ? 0 : weight * HINT;
  }

  private score({ words }: Entry, asked: readonly string[]): number {
    let score = 0;
    let matched = 0;
    for (const word of asked) {
      const fit = bestFit(words, word);
      if (fit === undefined) continue;
      matched += 1;
      // A square root and no logarithm: the standard gives its last bit, so that every machine agrees.
      score += fit.weight * Math.sqrt(this.specs.length / (this.counts().get(fit.word) ?? 1));
    }
    return matched === 0 ? 0 : (score * matched) / asked.length;
  }
}

interface Entry {
  spec: ToolSpec;
  /** The weight of each word, where it counts most. */
  words: ReadonlyMap<string, number>;
}

function entryOf(spec: ToolSpec): Entry {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) if (weight > (words.get(word) ?? 0)) words.set(word, weight);
  };
  add(spec.name, WEIGHTS.name);
  add(spec.description ?? "", WEIGHTS.description);
  add(spec.signature ?? "", WEIGHTS.parameters);
  return { spec, words };
}

function bestFit(words: ReadonlyMap<string, number>, asked: string): { word: string; weight: number } | undefined {
  const own = words.get(asked);
  if (own !== undefined) return { word: asked, weight: own };
  let best: { word: string; weight: number } | undefined;
  const take = (word: string, weight: number) => {
    if (best === undefined || weight > best.weight) best = { word, weight };
  };
  for (const word of sameMeaning(asked)) {
    const weight = words.get(word);
    if (weight !== undefined) take(word, weight * ALIKE);
  }
  if (asked.length >= MIN_BEGIN)
    for (const [word, weight] of words)
      if (word.startsWith(asked) || (word.length >= MIN_BEGIN && asked.startsWith(word))) take(word, weight * BEGINS);
  return best;
}

const foundTool = ({ name, signature = "", description = "" }: ToolSpec): FoundTool => ({
  name,
  signature,
  description: shortened(joinLines(description), MAX_DESCRIPTION_CHARS),
});

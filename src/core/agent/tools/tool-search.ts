import { onFirstUse } from "../../base/on-first-use";
import { joinLines } from "../../base/one-line";
import { cutText, shortened } from "../../base/whole-characters";
import type { ToolSpec } from "../../calls/tool";
import type { FoundTool } from "../../lisp/values/context";
import { askedWords, asksForMany, plainWords, sameMeaning, wordsOf } from "./search-words";

/**
 * Finds tools by words (agent reference, section 4.5). Pure and deterministic: the same tools and words give the same
 * answer on every machine and every replay, so it costs no event.
 *
 * The score of a tool is the sum over the words of the query: how rare the word is among the tools, times where it was
 * found (name 4, description 2, parameters 1). A tool that has all words wins over one that has half of them.
 *
 * Servers write the names and texts of their tools themselves. So that none of them takes all places by naming every word, long texts
 * count less, only their beginning is read, and a group of tools gets half of the places as long as others fit a quarter as well.
 */

/** How many tools a search gives by default. */
const SEARCH_LIMIT = 8;
/** How many tools a search gives at most. */
export const MAX_SEARCH_LIMIT = 50;
/** Tools that were found and are still shown. */
const MAX_FOUND = 30;

/** Characters of a query and of a description in an answer. */
const MAX_QUERY_CHARS = 500;
const MAX_DESCRIPTION_CHARS = 200;

/**
 * The weight of a word in a field, the number of different words that count whole, and the number of words that are
 * read.
 */
interface Field {
  weight: number;
  usual: number;
  read: number;
}
const NAME: Field = { weight: 4, usual: 6, read: 12 };
const DESCRIPTION: Field = { weight: 2, usual: 16, read: 64 };
const PARAMETERS: Field = { weight: 1, usual: 24, read: 64 };

/** Another word of the same meaning, or the beginning of a longer one, counts less than the word itself. */
const ALIKE = 0.5;
const BEGINS = 0.6;
const HINT = 0.25;
/** A tool of a group that has half of the places already. */
const BEYOND = 0.25;
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
    const plain = plainWords(cutText(query, MAX_QUERY_CHARS));
    const asked = askedWords(plain, (word) => this.counts().has(word));
    const isMany = asksForMany(plain);
    const scored = this.entries().flatMap((entry): Scored[] => {
      const score = this.score(entry, asked);
      return score === 0 ? [] : [{ score: isMany ? score + this.hint(entry, "list") : score, spec: entry.spec }];
    });
    return shared(scored.sort(byScore), Math.ceil(limit / 2), asked)
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
  const add = (text: string, { weight, usual, read }: Field) => {
    const own = [...new Set(wordsOf(text.slice(0, read * MAX_WORD_CHARS)))].slice(0, read);
    const counts = weight * Math.sqrt(Math.min(1, usual / own.length));
    for (const word of own) if (counts > (words.get(word) ?? 0)) words.set(word, counts);
  };
  add(spec.name, NAME);
  add(spec.description ?? "", DESCRIPTION);
  add(spec.signature ?? "", PARAMETERS);
  return { spec, words };
}

/** Characters of a word in a text, on average: no more of a long text is looked at. */
const MAX_WORD_CHARS = 16;

/** The first word of a tool's name, which for tools of a server is the server's; undefined = it has only one. */
export function toolGroup(name: string): string | undefined {
  const end = name.search(/[_\-.]/);
  return end > 0 ? name.slice(0, end) : undefined;
}

interface Scored {
  score: number;
  spec: ToolSpec;
}

const byScore = (a: Scored, b: Scored): number => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1);

/**
 * Counts the tools of a group beyond its share of the places a quarter, unless its name is asked for. @param tools best
 * first
 */
function shared(tools: readonly Scored[], share: number, asked: readonly string[]): Scored[] {
  const counts = new Map<string, number>();
  const ranked = tools.map((tool): Scored => {
    const group = toolGroup(tool.spec.name);
    if (group === undefined || wordsOf(group).some((word) => asked.includes(word))) return tool;
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return count > share ? { ...tool, score: tool.score * BEYOND } : tool;
  });
  return ranked.sort(byScore);
}

/**
 * The tools that stay shown after a search, in the order in which they were found first: a prompt that only grows at its end can be
 * cached. Beyond the limit the oldest go, but none of those that were found just now.
 *
 * @param found best first
 */
export function keptFinds(before: readonly string[], found: readonly string[]): string[] {
  const now = new Set(found.slice(0, MAX_FOUND));
  const all = [...new Set([...before, ...now])];
  let excess = all.length - MAX_FOUND;
  return all.filter((name) => now.has(name) || excess-- <= 0);
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

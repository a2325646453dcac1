import { onFirstUse } from "../../base/on-first-use";
import { joinLines } from "../../base/one-line";
import type { ToolSpec } from "../../calls/tool";
import { shortened } from "../../lisp/text/cut-text";
import type { FoundTool } from "../../lisp/values/context";

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
    const plain = partsOf(query.slice(0, MAX_QUERY_CHARS));
    const asked = [...new Set(plain.filter((word) => !STOP_WORDS.has(word)).map(stem))];
    // Who asks for several things, or which ones there are, wants a list.
    const isMany = plain.some((word) => MANY.has(word) || (word.length > 3 && singular(word) !== word));
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
  for (const word of SAME_MEANING.get(asked) ?? []) {
    const weight = words.get(word);
    if (weight !== undefined) take(word, weight * ALIKE);
  }
  if (asked.length >= MIN_BEGIN)
    for (const [word, weight] of words)
      if (word.startsWith(asked) || (word.length >= MIN_BEGIN && asked.startsWith(word))) take(word, weight * BEGINS);
  return best;
}

/** The words of a name or a text: `createPullRequest` and `create_pull_requests` are both create, pull, request. */
const wordsOf = (text: string): string[] => partsOf(text).map(stem);

function partsOf(text: string): string[] {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return parts.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The common beginning of the forms of an English word. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  const one = singular(word);
  const plain = one.length >= 6 ? one.replace(/(?:ing|ed)$/, "") : one;
  const single = plain.replace(/([^aeiouls])\1$/, "$1");
  return single.length >= 4 ? single.replace(/e$/, "") : single;
}

function singular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

const MANY: ReadonlySet<string> = new Set(["all", "every", "which", "what"]);

const STOP_WORDS: ReadonlySet<string> = new Set(
  "a an the of to in on for from with by and or as at is are be it its this that which who what how i me my we our you your do does can could want need please should some any all into about".split(
    " ",
  ),
);

/** Words that people and interfaces use for one another. */
const SAME_MEANING: ReadonlyMap<string, readonly string[]> = new Map(
  [
    "create add new make open register insert",
    "delete remove drop erase destroy",
    "update change edit modify set rename",
    "get read show fetch retrieve view look describe",
    "list all browse enumerate",
    "find search query lookup",
    "send deliver post notify mail message",
    "mail email",
    "pay charge bill payment",
    "refund reimburse repay",
    "cancel abort stop terminate end",
    "customer client user person people",
    "ticket issue bug",
    "start begin run launch trigger",
    "picture image photo",
    "file document",
    "book reserve schedule",
    "meeting appointment event",
    "move transfer",
    "folder directory",
    "merge combine join",
  ]
    .flatMap((line) => {
      const group = line.split(" ").map(stem);
      return group.map((word) => [word, group.filter((other) => other !== word)] as const);
    })
    .reduce((all, [word, others]) => all.set(word, [...(all.get(word) ?? []), ...others]), new Map<string, string[]>()),
);

const foundTool = ({ name, signature = "", description = "" }: ToolSpec): FoundTool => ({
  name,
  signature,
  description: shortened(joinLines(description), MAX_DESCRIPTION_CHARS),
});

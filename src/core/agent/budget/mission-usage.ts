import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import { roundCost } from "./round-cost";

/** Answers of models: how many, their tokens, and what they cost in US dollars. */
export interface UsageCounts {
  /** Answers of models. */
  turns: number;
  /** Whole prompts, with the part that came from a cache. */
  input_tokens: number;
  output_tokens: number;
  /** The part of the input that came from a cache. */
  cached_tokens: number;
  /** US dollars, as far as prices are known. */
  cost: number;
  /** Answers whose price nobody knew; absent = none. */
  unpriced?: number;
}

/** The usage of a mission and the agents below it (engine reference, section 2). */
export interface MissionUsage extends UsageCounts {
  /** The same by model. An answer whose model is not known is in the sums only. */
  models: { [model: string]: UsageCounts };
}

/** The usage and the effects of a mission, for lists. */
export interface ReportedUsage extends MissionUsage {
  /** The number of its effects in each state (effects reference, section 2); absent = it has none. */
  effects?: { [state: string]: number };
}

/** The memo field that shows the usage of a mission. */
export const USAGE_MEMO = "usage";

/** Models that a mission lists by name. The memo must stay small. */
const MAX_MODELS = 20;

/** The usage of a mission that asked no model. */
export const NO_USAGE: MissionUsage = {
  turns: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  cost: 0,
  models: {},
};

/** The counts of two together. */
export function addedCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  const unpriced = (a.unpriced ?? 0) + (b.unpriced ?? 0);
  return {
    turns: a.turns + b.turns,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    cost: roundCost(a.cost + b.cost),
    ...(unpriced === 0 ? {} : { unpriced }),
  };
}

/** With the effects of the mission, counted. */
export function reportedUsage(usage: MissionUsage, effects: readonly { state: string }[]): ReportedUsage {
  const counts: { [state: string]: number } = {};
  for (const { state } of effects) counts[state] = (counts[state] ?? 0) + 1;
  return effects.length === 0 ? usage : { ...usage, effects: counts };
}

/** Adds the usage of two parts of a mission. */
export function addedUsage(a: MissionUsage, b: MissionUsage): MissionUsage {
  const models = { ...a.models };
  for (const [model, counts] of Object.entries(b.models)) {
    const before = Object.hasOwn(models, model) ? models[model] : undefined;
    if (before === undefined && Object.keys(models).length >= MAX_MODELS) continue;
    models[model] = before === undefined ? counts : addedCounts(before, counts);
  }
  return { ...addedCounts(a, b), models };
}

/** The tokens of an answer, as far as its provider reported them. */
interface ReplyTokens {
  input?: number;
  output?: number;
  cache_read?: number;
  total_cost?: number;
}

/** One answer of a model. */
export function usageOfReply(tokens: ReplyTokens | undefined, model: string | undefined): MissionUsage {
  const { input = 0, output = 0, cache_read = 0, total_cost } = tokens ?? {};
  const counts: UsageCounts = {
    turns: 1,
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cache_read,
    cost: total_cost ?? 0,
    ...(total_cost === undefined ? { unpriced: 1 } : {}),
  };
  return { ...counts, models: model === undefined ? {} : { [model]: counts } };
}

/** Counts the usage of a mission, and adds the reports of its parts. */
export class UsageMeter {
  private readonly parts: { [part: string]: MissionUsage };
  private own: MissionUsage;

  /** @param continued `state` of the run before */
  constructor(continued?: UsageState) {
    this.own = continued?.own ?? NO_USAGE;
    this.parts = { ...continued?.parts };
  }

  add(usage: MissionUsage): void {
    this.own = addedUsage(this.own, usage);
  }

  /** Sets the usage of a part so far; it replaces the part's last report, so a repeated report counts once. */
  set(part: string, usage: MissionUsage): void {
    this.parts[part] = usage;
  }

  total(): MissionUsage {
    return Object.values(this.parts).reduce(addedUsage, this.own);
  }

  /** For the run that continues as new. */
  state(): UsageState {
    return { own: this.own, ...(Object.keys(this.parts).length === 0 ? {} : { parts: this.parts }) };
  }
}

/** A meter as plain data. */
export interface UsageState {
  own: MissionUsage;
  /** By the id of the part. */
  parts?: { [part: string]: MissionUsage };
}

/** The usage in a memo or a message; undefined if it has another form. */
export function readUsage(raw: unknown): ReportedUsage | undefined {
  const own = readCounts(raw);
  if (own === undefined || !isObject(raw)) return undefined;
  const models = isObject(raw.models) ? Object.entries(raw.models) : [];
  const read = models.flatMap(([model, value]) => {
    const counts = readCounts(value);
    return counts === undefined ? [] : [[model, counts] as const];
  });
  const effects = isObject(raw.effects) ? Object.entries(raw.effects) : [];
  const states = effects.filter(([state, count]) => WORD.test(state) && isAmount(count)).slice(0, MAX_STATES);
  return {
    ...own,
    models: Object.fromEntries(read.slice(0, MAX_MODELS)),
    ...(states.length === 0 ? {} : { effects: Object.fromEntries(states) as { [state: string]: number } }),
  };
}

const WORD = /^[a-z_]{1,20}$/;
const MAX_STATES = 12;

function readCounts(raw: unknown): UsageCounts | undefined {
  if (!isObject(raw)) return undefined;
  const { turns, input_tokens, output_tokens, cached_tokens, cost, unpriced } = raw;
  const amounts = { turns, input_tokens, output_tokens, cached_tokens, cost };
  if (!Object.values(amounts).every(isAmount)) return undefined;
  return { ...(amounts as UsageCounts), ...defined({ unpriced: isAmount(unpriced) ? unpriced : undefined }) };
}

const isAmount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;

import type { Json, JsonObject } from "../base/json";

/**
 * What is known of an effect (effects reference, section 2).
 *
 * - `intended`: its call is under way.
 * - `done`: the tool has answered.
 * - `failed`: the tool answered that it did not do it.
 * - `refused`: a person or a policy did not let it happen; the tool was not asked.
 * - `unknown`: the answer was lost, so the outcome is not known.
 * - `undone`: it was done, and undone later.
 */
export type EffectState = "intended" | "done" | "failed" | "refused" | "unknown" | "undone";

/** One effect of a mission, as people and programs see it. */
export interface EffectEntry {
  /** The idempotency key that the tool was given: it names the effect. */
  key: string;
  /** Of tool, version and identity arguments (effects reference, section 1). Equal for equal effects. */
  id: string;
  tool: string;
  effect: "write" | "irreversible";
  state: EffectState;
  /** The place in the mission: "" for the run that was started, else the place of the agent. */
  lane: string;
  /** Its number among the equal effects in its scope, from 1. */
  n: number;
  /** When the program began that made its call, or when a person agreed to it, ms since 1970, workflow time. */
  at: number;
  turn: number;
  /** 1-based number of the call within the turn. */
  call: number;
  /** Journal id of the task around the call. */
  task?: string;
  /** Names of the arguments that make the effect; absent = all. */
  identity?: string[];
  /** Its key within its mission, for an effect that all missions share: then `key` is the same in all of them. */
  deed?: string;
  /** Another mission has made it, or may have: its effect key there. */
  held_by?: string;
  /** Left out when they are long. */
  args?: JsonObject;
  /** Left out when it is long. */
  answer?: Json;
  /** Why it failed or was refused. */
  message?: string;
  /** The person who approved it, refused it, or reported its outcome. */
  by?: string;
  /** The key of an earlier effect that is equal to it. */
  resembles?: string;
  /** How often a later call was given its answer. */
  reused?: number;
  /** The workflow id of the mission that made it, for an effect that a retry has taken over and not called again. */
  taken_from?: string;
  /** Its tool could take it back when it was called. */
  undo?: true;
  /** The price of taking it back, in US dollars, if its tool declares one. */
  undo_cost?: number;
  /** The task queue of the tool's workers; absent = that of the run. */
  task_queue?: string;
}

/** An entry in the ledger of a run. */
export interface LedgerEntry extends EffectEntry {
  /** The mission continued after it: an equal call is a new effect. */
  settled: boolean;
  /** Other tasks whose records are made of its answer. */
  tasks?: string[];
  /** The effect id that the program asked for, when a person changed the arguments. */
  asked?: string;
  /** The ids of calls that a person took for it, in other words. */
  reworded?: string[];
  /** Given by the run that started this one, and not changed since. */
  lent?: true;
  /** Its call has not been made: somebody is asked first. */
  pending?: true;
  /** Several agents that work in parallel may get it: a person is asked when one of them asks for it. */
  contested?: true;
  /** Another call of the caller's program means it. It only keeps its number from being given again. */
  withheld?: true;
  /** Of an irreversible tool without an identity: the digest of the arguments that are no texts. */
  firm?: string;
  /** Its tool decides about an equal call later: the engine does not simply make the call. */
  compared?: true;
}

/** An entry without what only the ledger needs. */
export function entryForPeople({
  settled: _,
  asked: __,
  lent: ___,
  pending: ____,
  withheld: _____,
  contested: ______,
  tasks: _______,
  compared: ________,
  firm: _________,
  reworded: __________,
  ...entry
}: LedgerEntry): EffectEntry {
  return entry;
}

/** What a call of a tool with effects shows about its effect, for readers of the history. */
export interface EffectFacts
  extends Pick<
    EffectEntry,
    "at" | "call" | "by" | "resembles" | "deed" | "identity" | "undo" | "undo_cost" | "task_queue"
  > {
  kind: EffectEntry["effect"];
}

/** A change of the ledger that has no event: the whole entry, which the next command of the run records. */
export interface EffectChange {
  effect: EffectEntry;
}

/**
 * An effect that was refused or failed was not done, and one that is unknown may not be: a later call asks for it again,
 * and not for another one.
 */
export const SETTLES: readonly EffectEntry["state"][] = ["done", "undone"];
export const NOT_DONE: readonly EffectEntry["state"][] = ["failed", "refused"];

/** The effect may have been made. */
export const MAY_BE_DONE: readonly EffectEntry["state"][] = ["done", "unknown", "intended"];

/** Failures of a call that may have been made: its answer was lost, or could not be used. */
export const ANSWER_LOST: readonly string[] = ["unknown_outcome", "invalid_result", "result_too_large"];

/** Longer answers are not kept (characters of JSON). */
export const MAX_ANSWER_CHARS = 16 * 1024;
/** Longer arguments are not kept (characters of JSON). */
export const MAX_ARGS_CHARS = 2_000;
/** Longer messages are cut. */
export const MAX_MESSAGE_CHARS = 300;

/** What the ledger keeps of arguments. */
export const keptArgs = (args: JsonObject): { args?: JsonObject } =>
  JSON.stringify(args).length <= MAX_ARGS_CHARS ? { args } : {};

/** What the ledger keeps of an answer. */
export const keptAnswer = (answer: Json): { answer?: Json } =>
  JSON.stringify(answer).length <= MAX_ANSWER_CHARS ? { answer } : {};

/** Entries in the order of their calls. */
export const inOrder = <T extends Pick<EffectEntry, "at" | "turn" | "call" | "key">>(entries: readonly T[]): T[] =>
  [...entries].sort((a, b) => a.at - b.at || a.turn - b.turn || a.call - b.call || (a.key < b.key ? -1 : 1));

import { defined } from "../../base/defined";
import type { Failure, Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { decodeMemory, encodeMemory, memoryBytes } from "../../lisp/memory/memory";
import type { ProgramEnd } from "../../lisp/program";
import { decodeValue, describeValue, encodeValue } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { isData } from "../../lisp/values/is-data";
import { printValue } from "../../lisp/values/print";
import { TraversalLimit } from "../../lisp/values/traversal-limit";
import type { Value } from "../../lisp/values/values";
import { MAX_DEFINED_BYTES, MAX_RETURN_BYTES, recorded } from "../result/sizes";
import { truncateForHistory } from "./history-value";

/** The data that a run keeps between turns, as JSON: definitions in the form that keeps functions. */
export interface RunMemoryState {
  memory: JsonObject;
  summaries: [string, string][];
  tool_cache: [string, Json][];
  /** `*1 *2 *3`. */
  history: Json[];
  /** Newest successful turn with a value; `memory` null = the definitions of now. */
  fallback: { value: Json; memory: JsonObject | null } | null;
}

export const EMPTY_MEMORY: RunMemoryState = { memory: {}, summaries: [], tool_cache: [], history: [], fallback: null };

type Definitions = ReadonlyMap<string, Value>;

/** The state that a run keeps between turns (agent reference, section 9: what a turn leaves for the next one). */
export class RunMemory {
  private kept: Definitions;
  readonly summaries: Map<string, string>;
  toolCache: ReadonlyMap<string, Json>;
  history: readonly Value[];
  private fallback: { value: Value; definitions: Definitions } | null;

  constructor(state: RunMemoryState) {
    this.kept = decodeMemory(state.memory);
    this.summaries = new Map(state.summaries);
    this.toolCache = new Map(state.tool_cache);
    this.history = state.history.map((value) => decodeValue(value));
    this.fallback = state.fallback && {
      value: decodeValue(state.fallback.value),
      definitions: state.fallback.memory === null ? this.kept : decodeMemory(state.fallback.memory),
    };
  }

  /**
   * Takes the definitions and history that a continued program was given: its state contains them, because they share
   * values.
   */
  adopt(definitions: Definitions, history: readonly Value[]): void {
    if (this.fallback?.definitions === this.kept) this.fallback = { ...this.fallback, definitions };
    this.kept = definitions;
    this.history = history;
  }

  get definitions(): Definitions {
    return this.kept;
  }

  /** The definitions of a turn replace the earlier ones, if they can be kept at all. */
  keep(definitions: Definitions, limit: number | null): Result<number> {
    const size = sizeOf(definitions, limit);
    if (size.ok) this.kept = definitions;
    return size;
  }

  bytes(): number {
    return this.kept.size === 0 ? 0 : memoryBytes(this.kept);
  }

  mergeSummaries(summaries: ReadonlyMap<string, string>): void {
    for (const [id, summary] of summaries) this.summaries.set(id, summary);
  }

  /** A successful turn's value: `*1` of the next turn, and the fallback of the run if no return comes. */
  remember(value: Value, max_bytes: number): void {
    const data = asData(value);
    this.history = [truncateForHistory(data, max_bytes), ...this.history].slice(0, 3);
    if (value === null || data !== value) return;
    // A value that is too large to be returned cannot be a fallback.
    const returnable = isData(value, TraversalLimit.within(MAX_RETURN_BYTES, "return"));
    this.fallback = returnable ? { value, definitions: this.kept } : null;
  }

  /** The fallback's value, with its definitions restored in the run; undefined if there is none. */
  fallBack(fits: (value: Value) => boolean): Value | undefined {
    if (this.fallback === null || !fits(this.fallback.value)) return undefined;
    this.kept = this.fallback.definitions;
    return this.fallback.value;
  }

  state(): RunMemoryState {
    const { fallback } = this;
    return {
      memory: encodeMemory(this.kept),
      summaries: [...this.summaries],
      tool_cache: [...this.toolCache],
      history: this.history.map((value) => encodeValue(value, { exact: true })),
      fallback: fallback && {
        value: encodeValue(fallback.value, { exact: true }),
        memory: fallback.definitions === this.kept ? null : encodeMemory(fallback.definitions),
      },
    };
  }

  /** For people: the definitions, or those among them that a turn made. */
  describe(): JsonObject {
    return Object.fromEntries([...this.kept].map(([name, value]) => [name, describe(value)]));
  }
}

/** For the record of a turn: what it defined. */
export function describeDefined(end: ProgramEnd): JsonObject {
  // One limit for all: a small program can bind a large value to a thousand names.
  const budget = TraversalLimit.within(MAX_DEFINED_BYTES, "describe");
  return Object.fromEntries(
    end.defined.map((name) => [name, recorded(describe(end.memory.get(name) ?? null, budget))]),
  );
}

/** A value for the record of a turn, whatever it is. */
export function describe(value: Value, budget?: TraversalLimit): Json {
  try {
    return describeValue(value, budget);
  } catch (error) {
    if (error instanceof LispError) return { $omitted: error.message };
    throw error;
  }
}

/** Functions have no form that lasts: their text stands for them. */
function asData(value: Value): Value {
  if (isData(value)) return value;
  try {
    return printValue(value, { items: 20, nodes: 100_000 });
  } catch (error) {
    if (error instanceof LispError) return null;
    throw error;
  }
}

function sizeOf(definitions: Definitions, limit: number | null): Result<number> {
  try {
    const bytes = memoryBytes(definitions, limit);
    if (bytes !== undefined && (limit === null || bytes <= limit)) return { ok: true, value: bytes };
    return { ok: false, fail: tooLarge(bytes, limit as number) };
  } catch (error) {
    if (error instanceof LispError) return { ok: false, fail: error.toFailure() };
    throw error;
  }
}

/** @param bytes undefined for definitions that are much too large: they are not written out only to count them */
function tooLarge(bytes: number | undefined, limit: number): Failure {
  return {
    reason: "memory_limit_exceeded",
    message: `The definitions take ${bytes ?? `more than ${limit}`} bytes; the limit is ${limit}.`,
    details: { ...defined({ bytes }), limit },
  };
}

import { defined } from "../../base/defined";
import type { Json, JsonObject } from "../../base/json";
import { slowestOf } from "./by-duration";
import { numberAt } from "./number-at";
import { given } from "./span";

/**
 * A recorder for application code that calls models and tools itself (agent reference, section 13). Runs of agents need
 * none: their trace is in their history.
 */
export const ENTRY_TYPES = [
  "llm_call",
  "llm_response",
  "tool_call",
  "tool_result",
  "program_start",
  "program_end",
  "return",
  "fail",
  "nested_call",
] as const;
/** What an entry of a `Tracer` is about. */
export type EntryType = (typeof ENTRY_TYPES)[number];

/** One entry of a `Tracer`. */
export interface TracerEntry {
  type: EntryType;
  /** Ms since 1970. */
  timestamp: number;
  data: JsonObject;
  duration_ms?: number;
}

/** Clock, ids and size of a `Tracer`. `new Tracer()` needs none of them. */
export interface TracerOptions {
  /** Ms since 1970. */
  now: () => number;
  /** 32 hex. */
  newId: () => string;
  parent_id?: string;
  /** When there are more entries, the oldest are dropped, and counted in `dropped`. Default: no limit. */
  max_entries?: number;
}

/** Sums of what models reported (`tokens` of an `llm_response`). */
export interface TracerUsage {
  llm_requests: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  total_cost: number;
}

/**
 * Records what application code does with models and tools. `Tracer` is the same with the clock and ids of the process.
 */
export class TraceRecorder {
  readonly trace_id: string;
  readonly parent_id: string | null;
  readonly started_at: number;
  finalized_at: number | null = null;
  /** The number of entries that were dropped because of `max_entries`. */
  dropped = 0;
  private readonly list: TracerEntry[] = [];
  private readonly now: () => number;
  private readonly limit: number;

  constructor({ now, newId, parent_id, max_entries = Number.POSITIVE_INFINITY }: TracerOptions) {
    if (!(max_entries >= 1)) throw new RangeError("max_entries must be 1 or more");
    this.now = now;
    this.limit = max_entries;
    this.trace_id = newId();
    this.parent_id = parent_id ?? null;
    this.started_at = now();
  }

  get entries(): readonly TracerEntry[] {
    return this.list;
  }

  /**
   * @param at when it happened, ms since 1970; now when not given
   * @throws Error once it is finalized: what was handed on must not change
   */
  addEntry(
    type: EntryType,
    data: JsonObject = {},
    { at, duration_ms }: { at?: number; duration_ms?: number } = {},
  ): this {
    if (this.finalized_at !== null) throw new Error(`Trace ${this.trace_id} is finalized: nothing can be added.`);
    if (!ENTRY_TYPES.includes(type)) throw new Error(`"${type}" is not an entry type: ${ENTRY_TYPES.join(", ")}.`);
    this.list.push({ type, timestamp: at ?? this.now(), data, ...defined({ duration_ms }) });
    if (this.list.length > this.limit) {
      this.list.shift();
      this.dropped += 1;
    }
    return this;
  }

  /** The call of another agent or recorder, with its result. */
  recordNestedCall(nested: TraceRecorder, data: JsonObject = {}): this {
    const usage: JsonObject = { ...nested.aggregateUsage() };
    const call = { ...data, trace_id: nested.trace_id, usage };
    return this.addEntry("nested_call", call, { at: nested.started_at, duration_ms: nested.totalDuration() });
  }

  /** Nothing is added after it. A second time changes nothing. */
  finalize(): this {
    this.finalized_at ??= this.now();
    return this;
  }

  /** Ms from the start to the end, or to now if it is not finalized. */
  totalDuration(): number {
    return (this.finalized_at ?? this.now()) - this.started_at;
  }

  findByType(type: EntryType): TracerEntry[] {
    return this.list.filter((entry) => entry.type === type);
  }

  /** The entries that took longest, the longest first; those without a duration are left out. */
  slowestEntries(n: number): TracerEntry[] {
    return slowestOf(this.list, n);
  }

  /** For the kept entries, without nested calls, which count for themselves. */
  aggregateUsage(): TracerUsage {
    const replies = this.findByType("llm_response");
    const sum = (field: string) => replies.reduce((all, { data }) => all + numberAt(data.tokens, field), 0);
    const [input_tokens, output_tokens] = [sum("input"), sum("output")];
    return {
      llm_requests: replies.length,
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      total_cost: sum("total_cost"),
    };
  }

  toJSON(): JsonObject {
    const { trace_id, parent_id, started_at, finalized_at, dropped } = this;
    const entries = this.list as unknown as Json;
    return given({
      trace_id,
      parent_id,
      started_at,
      entries,
      finalized_at,
      dropped: dropped === 0 ? undefined : dropped,
    });
  }
}

/** Several recorders as one: the entries of all, in order of time. */
export interface MergedTrace {
  trace_id: string;
  entries: (TracerEntry & { trace_id: string })[];
  agent_count: number;
  parallel: true;
  /** From the first start to the last end of those that were merged. */
  wall_time_ms: number;
  /** Model calls of those that were merged. */
  total_turns: number;
}

/** Several recorders that worked side by side as one. `wall_time_ms` is from the first start to the last end. */
export function mergeParallel(parent: TraceRecorder, children: readonly TraceRecorder[]): MergedTrace {
  const of = (recorder: TraceRecorder) => recorder.entries.map((entry) => ({ ...entry, trace_id: recorder.trace_id }));
  const start = Math.min(...children.map(({ started_at }) => started_at));
  const end = Math.max(...children.map((child) => child.started_at + child.totalDuration()));
  return {
    trace_id: parent.trace_id,
    entries: [parent, ...children].flatMap(of).sort((a, b) => a.timestamp - b.timestamp),
    agent_count: children.length,
    parallel: true,
    wall_time_ms: children.length === 0 ? 0 : end - start,
    total_turns: children.reduce((sum, child) => sum + child.findByType("llm_call").length, 0),
  };
}

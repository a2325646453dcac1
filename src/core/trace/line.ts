import type { JsonObject } from "../base/json";

/**
 * A trace: what a run did, as lines of JSON (agent reference, section 13). It is derived from what is recorded anyway,
 * a history and the Step at its end; no run keeps one.
 */
export type SpanKind = "run" | "turn" | "llm" | "tool" | "pmap";
export const SPAN_KINDS: readonly SpanKind[] = ["run", "turn", "llm", "tool", "pmap"];

export interface TraceLine {
  /** `trace.start`, `trace.stop`, or a span's begin and end: `tool.start`, `tool.stop`. */
  event: string;
  /** 32 hex: one log for each run; those of nested agents have their own. */
  trace_id: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** Numbers: counts and tokens. */
  measurements: JsonObject;
  metadata: JsonObject;
  /** Of an end; absent where nothing tells how long it took. */
  duration_ms?: number;
  /** 8 hex. */
  span_id?: string;
  parent_span_id?: string;
}

/** The log of one run. */
export interface TraceLog {
  trace_id: string;
  workflow_id: string;
  lines: TraceLine[];
}

/** A log, or several of a tree, as JSON Lines. */
export const traceText = (lines: readonly TraceLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

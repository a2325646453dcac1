import type { JsonObject } from "../../base/json";

/** What a span of a trace is about (agent reference, section 13). */
export type SpanKind = "run" | "turn" | "llm" | "tool" | "pmap";
/** All kinds of spans. */
export const SPAN_KINDS: readonly SpanKind[] = ["run", "turn", "llm", "tool", "pmap"];

/** One line of a trace: the begin or the end of a span (agent reference, section 13). */
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
  /** For an end; absent if the duration is unknown. */
  duration_ms?: number;
  /** 8 hex. */
  span_id?: string;
  parent_span_id?: string;
}

/** The trace of one run. Agents that it called have their own. */
export interface TraceLog {
  trace_id: string;
  workflow_id: string;
  lines: TraceLine[];
}

/** Trace lines as text, one JSON object on each line. `loadTrace` reads it back. */
export const traceText = (lines: readonly TraceLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

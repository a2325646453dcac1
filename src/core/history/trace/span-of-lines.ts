import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import { SPAN_KINDS, type SpanKind, type TraceLine } from "./line";

/** The start and the end of a span. One of the two may be missing: a trace can be cut, or belong to a running run. */
export interface ShownSpan {
  kind: SpanKind;
  trace_id: string;
  span_id: string;
  parent_span_id?: string;
  /** Ms since 1970. */
  at: number;
  duration_ms?: number;
  status: "ok" | "failed" | "open";
  start?: TraceLine;
  stop?: TraceLine;
}

/**
 * The spans of a trace in the order in which their first lines stand. Lines of no span (`trace.start`) are passed over.
 */
export function shownSpans(lines: readonly TraceLine[]): ShownSpan[] {
  const spans = new Map<string, ShownSpan>();
  for (const line of lines) {
    const [kind, moment] = line.event.split(".") as [SpanKind, string];
    if (!SPAN_KINDS.includes(kind) || line.span_id === undefined) continue;
    const key = `${line.trace_id}/${line.span_id}`;
    const span = spans.get(key) ?? newShownSpan(kind, line, line.span_id);
    spans.set(key, span);
    if (moment === "start") span.start = line;
    else stopped(span, line);
  }
  return [...spans.values()];
}

function newShownSpan(kind: SpanKind, { trace_id, parent_span_id, timestamp }: TraceLine, span_id: string): ShownSpan {
  const at = Date.parse(timestamp);
  return { kind, trace_id, span_id, ...defined({ parent_span_id }), at, status: "open" };
}

function stopped(span: ShownSpan, line: TraceLine): void {
  const { duration_ms, metadata } = line;
  span.stop = line;
  if (duration_ms !== undefined) span.duration_ms = duration_ms;
  if (span.start === undefined) span.at = Date.parse(line.timestamp) - (duration_ms ?? 0);
  span.status = hasFailed(metadata) ? "failed" : "ok";
}

const hasFailed = ({ exception, status, success }: TraceLine["metadata"]): boolean =>
  exception !== undefined || success === false || (typeof status === "string" && status !== "ok");

/** How often the call was made; 1 where the trace has no number. */
export function attemptsOf({ stop }: ShownSpan): number {
  const attempts = stop?.measurements.attempts;
  return typeof attempts === "number" ? attempts : 1;
}

/** The outcome of the effect of a call, where its answer does not show it. */
export function notedEffectOf({ start, stop }: ShownSpan): string | undefined {
  const effect = (stop ?? start)?.metadata.effect;
  return typeof effect === "string" ? effect : undefined;
}

/** The displayed name of a span: `find`, `turn 2`, the model's or the agent's name. */
export function spanName({ kind, start, stop }: ShownSpan): string {
  const { tool_name, turn, model, agent, type, workflow_type } = { ...start?.metadata, ...stop?.metadata };
  const text = (value: unknown, otherwise: string) => (typeof value === "string" && value !== "" ? value : otherwise);
  switch (kind) {
    case "tool":
      return text(tool_name, "tool");
    case "turn":
      return `turn ${turn ?? "?"}`;
    case "llm":
      return text(model, "model");
    case "pmap":
      return text(type, "pmap");
    default:
      return text(isObject(agent) ? agent.name : agent, text(workflow_type, "run"));
  }
}

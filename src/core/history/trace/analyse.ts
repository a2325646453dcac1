import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import { slowestOf } from "./by-duration";
import type { TraceLine } from "./line";
import { numberAt } from "./number-at";
import { attemptsOf, notedEffectOf, type ShownSpan, shownSpans, spanName } from "./span-of-lines";

/** Totals of a trace, or of several traces of one tree of runs (agent reference, section 13). */
export interface TraceSummary {
  /** From the first line to the last. */
  duration_ms: number;
  /** Logs: the run and the agents it called. */
  runs: number;
  turns: number;
  llm_calls: number;
  tool_calls: number;
  /** Calls, turns and runs that failed. */
  failed: number;
  /** Started and not ended. */
  open: number;
  /** `cost` is in US dollars; absent when no model reported or has a price. */
  tokens: { input: number; output: number; total: number; cached?: number; cost?: number };
}

/** Counts what happened in a trace: runs, turns, model and tool calls, failures, tokens and time. */
export function traceSummary(lines: readonly TraceLine[]): TraceSummary {
  const spans = shownSpans(lines);
  const times = lines.map(({ timestamp }) => Date.parse(timestamp));
  const count = (of: (span: ShownSpan) => boolean) => spans.filter(of).length;
  const asked = spans.filter(({ kind }) => kind === "llm");
  // A turn repeats the tokens of its model call.
  const tokens = (field: string) => asked.reduce((sum, { stop }) => sum + numberAt(stop?.measurements, field), 0);
  const cost = tokens("total_cost");
  const cached = tokens("cache_read_tokens");
  const [input, output] = [tokens("input_tokens"), tokens("output_tokens")];
  return {
    duration_ms: times.length === 0 ? 0 : maxOf(times) - minOf(times),
    runs: new Set(lines.map(({ trace_id }) => trace_id)).size,
    turns: count(({ kind }) => kind === "turn"),
    llm_calls: asked.length,
    tool_calls: count(({ kind }) => kind === "tool"),
    failed: count(({ status }) => status === "failed"),
    open: count(({ status }) => status === "open"),
    tokens: { input, output, total: input + output, ...(cached > 0 ? { cached } : {}), ...(cost > 0 ? { cost } : {}) },
  };
}

/** How the first run of a trace ended. */
export interface TraceEnd {
  warnings: { code: string; message: string }[];
  /** null: it did not fail, or has not ended. */
  fail: { reason: string; message: string } | null;
}

/** The notes and the error of the first run in a trace, from the line that ends it. */
export function traceEnd(lines: readonly TraceLine[]): TraceEnd {
  const trace = lines[0]?.trace_id;
  const metadata = lines.find(({ event, trace_id }) => event === "run.stop" && trace_id === trace)?.metadata ?? {};
  const { warnings, fail, exception, status } = metadata;
  const error = isObject(fail) ? fail : status === "ok" ? null : exception;
  return {
    warnings: Array.isArray(warnings) ? (warnings as unknown as TraceEnd["warnings"]) : [],
    fail: isObject(error) ? { reason: String(error.reason), message: String(error.message ?? "") } : null,
  };
}

/**
 * The lines of one type, or the ends of spans that took long.
 *
 * @param type a kind (`tool`: begins and ends) or an event (`tool.stop`)
 * @param min_duration_ms leaves the ends that took at least this long
 */
export function filterTrace(
  lines: readonly TraceLine[],
  { type, min_duration_ms }: { type?: string; min_duration_ms?: number },
): TraceLine[] {
  return lines.filter(
    ({ event, duration_ms }) =>
      (type === undefined || event === type || event.startsWith(`${type}.`)) &&
      (min_duration_ms === undefined || (duration_ms !== undefined && duration_ms >= min_duration_ms)),
  );
}

/** The `n` ends of spans that took longest, the longest first. Equal ones keep their order. */
export function slowestSpans(lines: readonly TraceLine[], n: number): TraceLine[] {
  return slowestOf(
    lines.filter(({ event }) => event !== "trace.stop"),
    n,
  );
}

/** One span on the timeline of a trace. */
export interface TimelineRow {
  /** Ms from the first line. */
  at_ms: number;
  kind: ShownSpan["kind"];
  name: string;
  status: ShownSpan["status"];
  duration_ms?: number;
  /** For a call that was made more than once. */
  attempts?: number;
  /** For a call whose effect is `unknown` or `undone`. */
  effect?: string;
  trace_id: string;
  span_id: string;
}

/** All spans of a trace in the order in which they began. */
export function traceTimeline(lines: readonly TraceLine[]): TimelineRow[] {
  const first = minOf(lines.map(({ timestamp }) => Date.parse(timestamp)));
  return shownSpans(lines)
    .sort((a, b) => a.at - b.at)
    .map((span) => rowOf(span, first));
}

/** A span with the spans inside it. */
export interface TraceNode extends TimelineRow {
  children: TraceNode[];
}

/**
 * The spans of a trace as a tree. The trace of a nested agent stands below the call that started it. A span whose
 * parent is missing, as in a part of a trace, stands at the top.
 */
export function traceTree(lines: readonly TraceLine[]): TraceNode[] {
  const first = minOf(lines.map(({ timestamp }) => Date.parse(timestamp)));
  const spans = shownSpans(lines);
  const nodes = new Map(spans.map((span) => [keyOf(span), { ...rowOf(span, first), children: [] as TraceNode[] }]));
  const above = parents(lines, spans);
  const parentKeys = new Map<string, string>();
  for (const span of spans) {
    const { trace_id, parent_span_id } = span;
    const parent = parent_span_id === undefined ? above.get(trace_id) : `${trace_id}/${parent_span_id}`;
    if (parent !== undefined && nodes.has(parent)) parentKeys.set(keyOf(span), parent);
  }
  const roots: TraceNode[] = [];
  for (const [key, node] of nodes) {
    if (isTooDeep(key, parentKeys)) parentKeys.delete(key);
    const parent = parentKeys.get(key);
    const siblings = parent === undefined ? roots : (nodes.get(parent) as TraceNode).children;
    siblings.push(node);
  }
  return roots;
}

/** None of our traces is this deep, but a file may contain anything, circles included. */
const MAX_TREE_DEPTH = 500;

function isTooDeep(key: string, parentKeys: ReadonlyMap<string, string>): boolean {
  let depth = 0;
  for (let at = parentKeys.get(key); at !== undefined; at = parentKeys.get(at))
    if (++depth > MAX_TREE_DEPTH) return true;
  return false;
}

/** For each nested log, by its id: the call that started it, else the run. */
function parents(lines: readonly TraceLine[], spans: readonly ShownSpan[]): Map<string, string> {
  const found = new Map<string, string>();
  const runs = new Map(spans.filter(({ kind }) => kind === "run").map((span) => [span.trace_id, keyOf(span)]));
  for (const { event, trace_id, metadata } of lines) {
    const run = event === "trace.start" ? runs.get(String(metadata.parent_trace_id)) : undefined;
    if (run !== undefined) found.set(trace_id, run);
  }
  for (const span of spans) {
    const child = (span.stop ?? span.start)?.metadata.child_trace_id;
    if (span.kind === "tool" && typeof child === "string" && child !== span.trace_id) found.set(child, keyOf(span));
  }
  return found;
}

const keyOf = ({ trace_id, span_id }: ShownSpan): string => `${trace_id}/${span_id}`;

function rowOf(span: ShownSpan, first: number): TimelineRow {
  const { kind, status, duration_ms, trace_id, span_id } = span;
  const took = defined({ duration_ms });
  const attempts = attemptsOf(span);
  const again = attempts > 1 ? { attempts } : {};
  const effect = defined({ effect: notedEffectOf(span) });
  return {
    at_ms: span.at - first,
    kind,
    name: spanName(span),
    status,
    ...took,
    ...again,
    ...effect,
    trace_id,
    span_id,
  };
}

/** Not by spreading: a trace may have more lines than a call can have arguments. */
const minOf = (numbers: readonly number[]): number =>
  numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
const maxOf = (numbers: readonly number[]): number =>
  numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

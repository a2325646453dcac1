import fc from "fast-check";
import {
  filterTrace,
  slowestSpans,
  type TraceNode,
  traceSummary,
  traceTimeline,
  traceTree,
} from "../../../../src/core/history/trace/analyse";
import { type TraceLine, traceText } from "../../../../src/core/history/trace/line";
import { loadTrace, TraceFormatError } from "../../../../src/core/history/trace/load";
import { assertProperty } from "../../../support/run/property";

/** Reading traces without a server. */
const T = Date.UTC(2030, 0, 1);
const line = (event: string, at: number, more: Partial<TraceLine> = {}): TraceLine => ({
  event,
  trace_id: "a",
  timestamp: new Date(T + at).toISOString(),
  measurements: {},
  metadata: {},
  ...more,
});
const span = (kind: string, span_id: string, at: number, duration_ms: number, more: Partial<TraceLine> = {}) => [
  line(`${kind}.start`, at, { span_id, ...more }),
  line(`${kind}.stop`, at + duration_ms, { span_id, duration_ms, ...more }),
];
const tokens = { measurements: { input_tokens: 10, output_tokens: 5, total_tokens: 15, total_cost: 0.5 } };

const LINES: TraceLine[] = [
  line("trace.start", 0),
  ...span("run", "r", 0, 100, { metadata: { agent: { name: "buyer" } } }),
  ...span("turn", "t", 5, 90, { parent_span_id: "r", metadata: { turn: 1 }, ...tokens }),
  ...span("llm", "l", 5, 20, { parent_span_id: "t", metadata: { model: "m" }, ...tokens }),
  ...span("tool", "c", 30, 40, { parent_span_id: "t", metadata: { tool_name: "ask", child_trace_id: "b" } }),
  line("tool.start", 75, { span_id: "o", parent_span_id: "t", metadata: { tool_name: "slow" } }),
  line("trace.start", 31, { trace_id: "b", metadata: { parent_trace_id: "a" } }),
  ...span("run", "r", 31, 30, { trace_id: "b", metadata: { agent: { name: "helper" }, status: "failed" } }),
  ...span("llm", "l", 32, 10, { trace_id: "b", parent_span_id: "r", ...tokens }),
];

test("a summary counts the spans of all logs, and the tokens of model calls once", () =>
  expect(traceSummary(LINES)).toEqual({
    duration_ms: 100,
    runs: 2,
    turns: 1,
    llm_calls: 2,
    tool_calls: 2,
    failed: 1,
    open: 1,
    tokens: { input: 20, output: 10, total: 30, cost: 1 },
  }));

test("a summary of an empty trace is empty", () =>
  expect(traceSummary([])).toMatchObject({ duration_ms: 0, runs: 0, tokens: { total: 0 } }));

test.each([
  [{ type: "tool" }, ["tool.start", "tool.stop", "tool.start"]],
  [{ type: "tool.stop" }, ["tool.stop"]],
  [{ type: "too" }, []],
  [{ min_duration_ms: 40 }, ["run.stop", "turn.stop", "tool.stop"]],
  [{ type: "llm", min_duration_ms: 20 }, ["llm.stop"]],
  [{ min_duration_ms: 0, type: "llm" }, ["llm.stop", "llm.stop"]],
])("the filter %j", (filter, events) => expect(filterTrace(LINES, filter).map(({ event }) => event)).toEqual(events));

test("the slowest spans are the longest, equal ones in their order", () => {
  const same = [...LINES, ...span("tool", "x", 90, 100)];
  expect(slowestSpans(same, 3).map(({ span_id }) => span_id)).toEqual(["r", "x", "t"]);
  expect(slowestSpans(LINES, 0)).toEqual([]);
});

test("a retried call shows its number of attempts, in the timeline and in the tree", () => {
  const lines = span("tool", "x", 0, 5, { measurements: { attempts: 2 }, metadata: { tool_name: "pay" } });
  expect(traceTimeline(lines)).toEqual([expect.objectContaining({ name: "pay", attempts: 2 })]);
  expect(traceTree(lines)).toEqual([expect.objectContaining({ name: "pay", attempts: 2 })]);
  expect(traceTimeline(LINES).filter((row) => "attempts" in row)).toEqual([]);
});

test("a timeline is ordered by time, from the first line", () =>
  expect(traceTimeline(LINES).map(({ at_ms, kind, name, status }) => [at_ms, kind, name, status])).toEqual([
    [0, "run", "buyer", "ok"],
    [5, "turn", "turn 1", "ok"],
    [5, "llm", "m", "ok"],
    [30, "tool", "ask", "ok"],
    [31, "run", "helper", "failed"],
    [32, "llm", "model", "ok"],
    [75, "tool", "slow", "open"],
  ]));

type Told = [string, ...Told[]];
const told = ({ name, children }: TraceNode): Told => [name, ...children.map(told)];

test("a tree has a nested log below the call that started it", () =>
  expect(traceTree(LINES).map(told)).toEqual([["buyer", ["turn 1", ["m"], ["ask", ["helper", ["model"]]], ["slow"]]]]));

test("parts of filtered spans move to the top", () =>
  expect(traceTree(filterTrace(LINES, { type: "tool" })).map(told)).toEqual([["ask"], ["slow"]]));

const count = (nodes: readonly TraceNode[]): number =>
  nodes.reduce((sum, { children }) => sum + 1 + count(children), 0);

test("every span is in the tree once, whatever parents and children a file names", () => {
  const id = fc.integer({ min: 0, max: 8 }).map(String);
  const lines = fc.array(
    fc.record({ trace: id, span: id, parent: fc.option(id), child: fc.option(id), stop: fc.boolean() }),
    { maxLength: 40 },
  );
  assertProperty(
    fc.property(lines, (made) => {
      const all = made.map(({ trace, span: span_id, parent, child, stop }, index) =>
        line(stop ? "tool.stop" : "tool.start", index, {
          trace_id: trace,
          span_id,
          ...(parent === null ? {} : { parent_span_id: parent }),
          metadata: child === null ? {} : { child_trace_id: child },
        }),
      );
      const spans = new Set(made.map(({ trace, span: own }) => `${trace}/${own}`)).size;
      expect(count(traceTree(all))).toBe(spans);
      expect(traceTimeline(all)).toHaveLength(spans);
      expect(traceSummary(all).tool_calls).toBe(spans);
    }),
  );
});

test("a chain deeper than the stack still gives a tree", () => {
  const chain = Array.from({ length: 20_000 }, (_, i) =>
    line("tool.start", i, { span_id: `${i}`, ...(i === 0 ? {} : { parent_span_id: `${i - 1}` }) }),
  );
  expect(count(traceTree(chain))).toBe(20_000);
});

test("a written trace is read back; empty lines and a byte-order mark are ignored", () => {
  expect(loadTrace(traceText(LINES))).toEqual(LINES);
  expect(loadTrace(`\uFEFF\n${traceText(LINES).replaceAll("\n", "\r\n\n")}`)).toEqual(LINES);
});

const GOOD = JSON.stringify(LINES[0]);
const bad = (more: object) => JSON.stringify({ ...LINES[1], ...more });
test.each([
  ["", 0, "it has no lines"],
  ["\n \n", 0, "it has no lines"],
  [`${GOOD}\n{"event"`, 2, "it is not JSON"],
  [`${GOOD}\n\nnull`, 3, "it is not an object {event, trace_id, timestamp, ...}"],
  ["[]", 1, "it is not an object {event, trace_id, timestamp, ...}"],
  [bad({ event: "" }), 1, "event must be a non-empty text"],
  [bad({ event: "tool" }), 1, 'event must be like tool.start, got "tool"'],
  [bad({ trace_id: 5 }), 1, "trace_id must be a non-empty text"],
  [bad({ timestamp: "yesterday" }), 1, 'timestamp must be an ISO time, got "yesterday"'],
  [bad({ metadata: [] }), 1, "metadata must be an object"],
  [bad({ measurements: null }), 1, "measurements must be an object"],
  [bad({ duration_ms: -1 }), 1, "duration_ms must be a number, 0 or more"],
  [bad({ span_id: 7 }), 1, "span_id must be a text"],
])("%j is refused", (text, number, fault) => {
  const load = () => loadTrace(text);
  expect(load).toThrow(TraceFormatError);
  expect(load).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      details: expect.objectContaining({ path: number === 0 ? "" : `line ${number}` }),
      line: number,
      fault,
    }),
  );
});

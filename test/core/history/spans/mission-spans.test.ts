import { readHistory } from "../../../../src/core/history/read/history";
import { missionSpans } from "../../../../src/core/history/spans/mission-spans";
import { otlpTraces } from "../../../../src/core/history/spans/otlp-json";
import type { PlainSpan } from "../../../../src/core/history/spans/plain-span";
import { readRecorded, recordedFiles, workflowTypeOf } from "../../../support/recorded";
import { SEMCONV_ATTRIBUTES } from "./semconv";

/** Spans of recorded runs: whatever the history, they hold together. */
const alone = (file: string, content = false): PlainSpan[] =>
  missionSpans({ workflow_id: "any", runs: [readRecorded(file)], children: [] }, { content });

const TYPE: { [type: string]: RegExp } = {
  agentRun: /^invoke_agent \S/,
  navigatorTask: /^invoke_workflow \S/,
  planRun: /^invoke_workflow plan$/,
  undoRun: /^invoke_workflow undo$/,
};

const typeOf = (file: string): string => workflowTypeOf(readRecorded(file));

describe("the spans of recorded histories", () => {
  const all = recordedFiles().map((file) => ({ file, type: typeOf(file), spans: alone(file) }));
  const every = all.flatMap(({ spans }) => spans);

  test("each run of an agent, a task, a plan and an undo has one root, and other workflows have no spans", () => {
    const wrong = all.filter(({ type, spans }) => {
      const roots = spans.filter(({ parent_span_id }) => parent_span_id === undefined);
      const name = TYPE[type];
      return name === undefined ? spans.length > 0 : roots.length !== 1 || !name.test(roots[0]?.name ?? "");
    });
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  test("ids are unique within a trace, and every parent is there", () => {
    const wrong = all.filter(({ spans }) => {
      const ids = new Set(spans.map(({ span_id }) => span_id));
      const orphans = spans.filter(({ parent_span_id: id }) => id !== undefined && !ids.has(id));
      return ids.size !== spans.length || orphans.length > 0 || new Set(spans.map((one) => one.trace_id)).size > 1;
    });
    expect(wrong.map(({ file }) => file)).toEqual([]);
    for (const { trace_id, span_id } of every) expect(`${trace_id} ${span_id}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
  });

  test("the same history gives the same spans, with content or without", () => {
    const ids = (spans: PlainSpan[]) => spans.map(({ trace_id, span_id }) => `${trace_id} ${span_id}`);
    for (const { file, spans } of all) {
      expect(alone(file)).toEqual(spans);
      expect(ids(alone(file, true))).toEqual(ids(spans));
    }
  });

  test("every model call and tool call that was scheduled is a span", () => {
    for (const { file, type, spans } of all) {
      if (TYPE[type] === undefined) continue;
      const scheduled = readHistory(readRecorded(file)).filter(
        (fact) => fact.kind === "activity_scheduled" && ["callModel", "callTool", "undoEffect"].includes(fact.activity),
      );
      const calls = spans.filter(({ name }) => /^(chat|execute_tool) /.test(name));
      expect(calls.length).toBeGreaterThanOrEqual(scheduled.length);
    }
  });

  test("attributes are those of the conventions, or navigator's own", () => {
    const names = new Set(every.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...names].filter((name) => !name.startsWith("navigator.") && !SEMCONV_ATTRIBUTES.has(name))).toEqual([]);
    expect([...names]).toEqual(
      expect.arrayContaining([
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.request.temperature",
        "gen_ai.response.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.tool.call.id",
      ]),
    );
  });

  test("nothing of prompts, arguments, answers and errors is told unless content is asked for", () => {
    const texts = JSON.stringify(every);
    expect(every.every(({ error }) => error?.message === undefined)).toBe(true);
    expect(texts).not.toMatch(/"gen_ai\.(tool\.call\.(arguments|result)|output\.messages)"/);
    const told = alone("agent-approval-quorum.json", true);
    const args = told.map(({ attributes }) => attributes["gen_ai.tool.call.arguments"]);
    expect(args).toContain('{"order":7,"cents":2}');
  });
});

test("an approval is a wait for a person beside the call, from the question to the decision", () => {
  const file = recordedFiles().find((one) => alone(one).some(({ name }) => name.startsWith("wait_for_person")));
  const spans = alone(file as string);
  const [run] = spans;
  const wait = spans.find(({ name }) => name.startsWith("wait_for_person")) as PlainSpan;
  expect(wait.parent_span_id).toBe(run?.span_id);
  expect(wait.end_ms).toBeGreaterThan(wait.start_ms);
});

test("a mission that continued as new is one span, in one trace", () => {
  const runs = ["agent-continued-2.json", "agent-continued.json"]
    .map(readRecorded)
    .sort((a, b) => Date.parse(String(a.events[0]?.eventTime)) - Date.parse(String(b.events[0]?.eventTime)));
  const spans = missionSpans({ workflow_id: "any", runs, children: [] });
  const roots = spans.filter(({ parent_span_id }) => parent_span_id === undefined);
  expect(roots.map(({ name, end_ms }) => [name, end_ms !== null])).toEqual([
    [expect.stringMatching(/^invoke_agent/), true],
  ]);
  expect(new Set(spans.map(({ span_id }) => span_id)).size).toBe(spans.length);
});

test("OTLP has exact times, typed values and an error with its class", () => {
  const span: PlainSpan = {
    trace_id: "a".repeat(32),
    span_id: "b".repeat(16),
    sampling: "kept",
    name: "execute_tool charge",
    kind: "internal",
    start_ms: 1_700_000_000_123,
    end_ms: 1_700_000_000_456,
    attributes: { text: "x", whole: 3, part: 0.25, yes: true, list: ["a"] },
    error: { type: "tool_error" },
  };
  const open = { ...span, end_ms: null };
  const body = otlpTraces([span, open], { "service.name": "navigator" }, { name: "navigator-agents", version: "1" });
  const [{ resource, scopeSpans } = { resource: null, scopeSpans: [] }] = body.resourceSpans;
  expect(resource).toEqual({ attributes: [{ key: "service.name", value: { stringValue: "navigator" } }] });
  expect(scopeSpans[0]?.spans).toEqual([
    {
      traceId: "a".repeat(32),
      spanId: "b".repeat(16),
      name: "execute_tool charge",
      kind: 1,
      startTimeUnixNano: "1700000000123000000",
      endTimeUnixNano: "1700000000456000000",
      attributes: [
        { key: "text", value: { stringValue: "x" } },
        { key: "whole", value: { intValue: "3" } },
        { key: "part", value: { doubleValue: 0.25 } },
        { key: "yes", value: { boolValue: true } },
        { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }] } } },
        { key: "error.type", value: { stringValue: "tool_error" } },
      ],
      status: { code: 2 },
    },
  ]);
});

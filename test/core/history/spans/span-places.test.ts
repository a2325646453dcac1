import { missionSpans } from "../../../../src/core/history/spans/mission-spans";
import type { PlainSpan } from "../../../../src/core/history/spans/plain-span";
import { callKey, RUN_KEY, spanIdOf, traceIdOf, turnKey } from "../../../../src/core/history/spans/span-ids";
import type { TraceContext } from "../../../../src/core/history/spans/trace-context";
import { readRecorded } from "../../../support/recorded";
import { call, historyOf, type MadeEvent, reset, started } from "./made-history";

/** Where exported spans stand: the live ones of a worker have the same ids and parents. */

const [FIRST, AGAIN] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const exported = (events: MadeEvent[]): PlainSpan[] =>
  missionSpans({ workflow_id: "agent/order-42", runs: [historyOf(events)], children: [] });
const shape = (spans: PlainSpan[]) =>
  spans.map(({ name, trace_id, span_id, parent_span_id }) => [name, trace_id, span_id, parent_span_id]);
const asked = (at: number, turn: number, id: string, context?: TraceContext) => {
  const result = { reply: { content: "..." }, made: [], end: "other" };
  return call(at, ["runCalls", id, { n: turn, model: { model: "scripted", turn } }, result], context);
};
const idOf = (key: string, seed = FIRST) => spanIdOf(seed, key);

test("spans that other interceptors put between are parents of calls, and take no id of a turn", () => {
  const foreign = (digit: string): TraceContext => ({
    trace_id: "f".repeat(32),
    span_id: digit.repeat(16),
    sampling: "kept",
  });
  const spans = exported([
    started(FIRST),
    ...asked(2, 1, "1", foreign("a")),
    ...call(5, ["callTool", "2", { name: "stock", turn: 1 }, { ok: true, value: 3 }], foreign("b")),
    ...asked(8, 2, "3", foreign("c")),
  ]);
  const own = traceIdOf(FIRST);
  expect(shape(spans)).toEqual([
    ["invoke_agent clerk", own, idOf(RUN_KEY), undefined],
    ["turn 1", own, idOf(turnKey(1, 1)), idOf(RUN_KEY)],
    ["turn 2", own, idOf(turnKey(1, 2)), idOf(RUN_KEY)],
    ["chat scripted", "f".repeat(32), idOf(callKey("1", 1)), "a".repeat(16)],
    ["execute_tool stock", "f".repeat(32), idOf(callKey("2", 1)), "b".repeat(16)],
    ["chat scripted", "f".repeat(32), idOf(callKey("3", 1)), "c".repeat(16)],
  ]);
  // A turn lasts as long as its calls, wherever those stand.
  expect(spans.slice(1, 3).map(({ start_ms, end_ms }) => (end_ms ?? 0) - start_ms)).toEqual([5_000, 2_000]);
});

test("calls that an activity makes after its reply have ids of their own, below its number", () => {
  const input = { name: "stock", args: {}, idempotency_key: "k", agent: null, task: null, turn: 1 };
  const made = [1, 2].map((n) => ({ n, input, began: 0, at: 0, answer: { ok: true, value: n }, attempts: n }));
  const result = { reply: { content: "..." }, replied_at: 0, made, end: "other" };
  const given = { n: 1, model: { model: "scripted", turn: 1 }, run: { base: 0 } };
  const spans = exported([started(FIRST), ...call(2, ["runCalls", "1", given, result])]);
  expect(shape(spans).slice(2)).toEqual(
    [
      ["chat scripted", callKey("1", 1)] as const,
      ["execute_tool stock", callKey("1.1", 1)] as const,
      ["execute_tool stock", callKey("1.2", 2)] as const,
    ].map(([name, id]) => [name, traceIdOf(FIRST), idOf(id), idOf(turnKey(1, 1))]),
  );
});

test("after a reset the mission keeps its trace and its turns; calls have ids of the run that makes them", () => {
  const spans = exported([started(FIRST), ...asked(2, 1, "1"), reset(AGAIN), ...asked(6, 2, "2")]);
  expect(shape(spans)).toEqual([
    ["invoke_agent clerk", traceIdOf(FIRST), idOf(RUN_KEY), undefined],
    ["turn 1", traceIdOf(FIRST), idOf(turnKey(1, 1)), idOf(RUN_KEY)],
    ["turn 2", traceIdOf(FIRST), idOf(turnKey(1, 2)), idOf(RUN_KEY)],
    ["chat scripted", traceIdOf(FIRST), idOf(callKey("1", 1)), idOf(turnKey(1, 1))],
    ["chat scripted", traceIdOf(FIRST), idOf(callKey("2", 1), AGAIN), idOf(turnKey(1, 2))],
  ]);
});

test("a mission that was woken has turns of its own in each invocation, without any header", () => {
  const spans = missionSpans({
    workflow_id: "any",
    runs: [readRecorded("agent-continued-while-parked-4.json")],
    children: [],
  });
  const turns = spans.filter(({ name }) => name.startsWith("turn "));
  expect(turns.map(({ attributes }) => [attributes["navigator.invocation"], attributes["navigator.turn"]])).toEqual([
    [2, 1],
  ]);
});

test("an undo belongs to the turn that takes back, not to the turn of the effect", () => {
  const spans = missionSpans({ workflow_id: "any", runs: [readRecorded("agent-undoes-a-task.json")], children: [] });
  const undone = spans.filter(({ attributes }) => attributes["navigator.undo"] === true);
  expect(undone).not.toEqual([]);
  const parents = undone.map(({ parent_span_id: id }) => spans.find(({ span_id }) => span_id === id)?.name);
  expect(parents).toEqual(undone.map(() => "turn 2"));
});

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Context } from "@temporalio/activity";
import { ApplicationFailure, type MetricMeter } from "@temporalio/common";
import { RUN_CALLS } from "../../../src/core/calls/run-calls";
import { missionSpans } from "../../../src/core/history/spans/mission-spans";
import type { PlainSpan } from "../../../src/core/history/spans/plain-span";
import { TracedActivity } from "../../../src/node/telemetry/activity-spans";
import { CallMetrics } from "../../../src/node/telemetry/call-metrics";
import { innerCall } from "../../../src/node/telemetry/inner-calls";
import { Spans } from "../../../src/node/telemetry/spans";
import { call, failedRun, historyOf, started } from "../../core/history/spans/made-history";

/** What programs, models and tools write is in no span and in no label, unless content is asked for. */

const WORD = "anna@example.com";
const RUN = "11111111-1111-4111-8111-111111111111";
const TOOL_INPUT = {
  name: "mail",
  args: { to: WORD },
  idempotency_key: `agent/order-42/mail ${WORD}`,
  agent: "clerk",
  task: `mail ${WORD}`,
  turn: 1,
};
const MODEL_INPUT = { model: "scripted", turn: 1, agent: "clerk", conversation: { add: WORD } };
const REPLY = { content: WORD, model: "scripted" };
const FAIL = { reason: `customer ${WORD} owes 400`, message: `${WORD} did not pay` };
const UNDO = { ...TOOL_INPUT, call_key: TOOL_INPUT.idempotency_key, result: WORD, because: `(undo "${WORD}")` };
const STEP = { return: null, fail: FAIL, usage: { turns: 1 } };

const exported = (content: boolean): PlainSpan[] =>
  missionSpans(
    {
      workflow_id: "agent/order-42",
      runs: [
        historyOf([
          started(RUN, { agent: { name: "clerk", prompt: WORD }, context: { to: WORD }, model: "scripted" }),
          ...call(2, ["runCalls", "1", { n: 1, model: MODEL_INPUT }, { reply: REPLY, made: [], end: "other" }]),
          ...call(5, ["callTool", "2", TOOL_INPUT, { ok: true, value: WORD }]),
          ...call(8, ["callTool", "3", TOOL_INPUT, { ok: false, fail: FAIL }]),
          ...call(11, ["undoEffect", "4", UNDO, { ok: false, fail: FAIL }]),
          failedRun(STEP),
        ]),
      ],
      children: [],
    },
    { content },
  );

/** The calls of a worker: what it hands to OpenTelemetry, and the labels of its metrics. */
async function reported(content: boolean) {
  const exporter = new InMemorySpanExporter();
  const spans = Spans.of(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }), "1.0.0");
  const labels: unknown[] = [];
  const recorder = {
    add: (_: number, tags: unknown) => labels.push(tags),
    record: (_: number, tags: unknown) => labels.push(tags),
  };
  const meter = {
    createCounter: () => recorder,
    createHistogram: () => recorder,
    createGauge: () => recorder,
  } as unknown as MetricMeter;
  const metrics = new CallMetrics(meter, true);
  const run = async (activityType: string, input: object, answer: () => unknown | Promise<unknown>) => {
    const info = {
      activityType,
      activityId: "1",
      attempt: 1,
      workflowType: "agentRun",
      workflowExecution: { workflowId: "agent/order-42", runId: RUN },
    };
    const traced = new TracedActivity({ info } as unknown as Context, spans, metrics, { content });
    await traced.execute({ args: [input], headers: {} }, async () => answer()).catch(() => {});
  };
  await run(RUN_CALLS, { n: 1, model: MODEL_INPUT, run: { base: 0 } }, async () => {
    const reply = await innerCall("model", async () => REPLY);
    const answer = await innerCall({ input: TOOL_INPUT, n: 1, attempt: 1 }, async () => ({ ok: true, value: WORD }));
    return { reply, made: [answer] };
  });
  await run("callTool", TOOL_INPUT, () => ({ ok: false, fail: FAIL }));
  await run("undoEffect", UNDO, () => ({ ok: false, fail: FAIL }));
  await run("callTool", TOOL_INPUT, () => {
    throw ApplicationFailure.create({ type: `no ${WORD}`, message: WORD });
  });
  for (const span of exported(content)) metrics.ended(span);
  const told = exporter
    .getFinishedSpans()
    .map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
  return { told, labels };
}

test("without content the word is nowhere: in no attribute, no error and no label", async () => {
  const { told, labels } = await reported(false);
  expect([told.length, labels.length > 8, exported(false).length]).toEqual([5, true, 6]);
  expect(JSON.stringify([told, labels, exported(false)])).not.toContain(WORD);
  expect(told.map(({ attributes }) => attributes["error.type"])).toEqual([
    undefined,
    undefined,
    "user_reason",
    "user_reason",
    "_OTHER",
  ]);
  expect(labels).toContainEqual({ kind: "agent", name: "clerk", outcome: "user_reason" });
  expect(exported(false)[0]?.error).toEqual({ type: "user_reason" });
});

test("with content it is in the attributes that say so, and still in no label and no class of an error", async () => {
  const { told, labels } = await reported(true);
  expect(told[2]?.attributes).toMatchObject({
    "gen_ai.tool.call.id": TOOL_INPUT.idempotency_key,
    "gen_ai.tool.call.arguments": `{"to":"${WORD}"}`,
    "navigator.task": TOOL_INPUT.task,
    "navigator.reason": FAIL.reason,
    "error.type": "user_reason",
  });
  expect(told[2]?.status.message).toBe(FAIL.message);
  expect(told[4]?.attributes["error.type"]).toBe("_OTHER");
  expect(JSON.stringify(labels)).not.toContain(WORD);
  expect(exported(true)[0]).toMatchObject({
    attributes: { "navigator.reason": FAIL.reason },
    error: { type: "user_reason", message: FAIL.message },
  });
});

test("attempts of one call share the id of the call, which differs from that of another call", async () => {
  const ids = (await reported(false)).told.map(({ attributes }) => attributes["gen_ai.tool.call.id"]);
  expect(ids[1]).toMatch(/^[0-9a-f]{32}$/);
  expect(ids[2]).toBe(ids[1]);
  const other = { ...TOOL_INPUT, idempotency_key: "agent/order-42/1/1" };
  const [, , second] = missionSpans({
    workflow_id: "any",
    runs: [historyOf([started(RUN), ...call(2, ["callTool", "1", other, { ok: true }])])],
    children: [],
  });
  expect(second?.attributes["gen_ai.tool.call.id"]).toMatch(/^[0-9a-f]{32}$/);
  expect(second?.attributes["gen_ai.tool.call.id"]).not.toBe(ids[1]);
});

import type { Client } from "@temporalio/client";
import { z } from "zod";
import { NavigatorClient } from "../../src/client/client";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { defineAgent } from "../../src/project/authoring/define-agent";

/** A server that must not be asked. */
const nobody: unknown = new Proxy(() => nobody, {
  get: (_target, key) => {
    if (key === "getHandle") return () => ({ client: nobody });
    if (key === "workflow") return nobody;
    throw new Error(`the server was asked: ${String(key)}`);
  },
});
const client = new NavigatorClient(nobody as Client, "queue");

const agent = (() => {
  const read = parseAgent({ prompt: "Do it." });
  if (!read.ok) throw new Error(read.fail.message);
  return read.value;
})();
const definition = (() => {
  const read = parseDefinition({
    id: "one",
    nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, end: { type: "end", result: "success" } },
    edges: [
      { from: "start", to: "work" },
      { from: "work", to: "end", on: "passed" },
    ],
  });
  if (!read.ok) throw new Error(read.fail.message);
  return read.value.definition;
})();

async function refusalOf(call: () => Promise<unknown>): Promise<NavigatorError> {
  const thrown = await call().then(
    () => new Error("it was not refused"),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(NavigatorError);
  return thrown as NavigatorError;
}

const run = (options: object) => () => client.startAgent({ agent, model: "m", ...options } as never);
const task = (given: unknown) => () => client.startTask({ task: given, definition, model: "m" } as never);
const plan = (options: object) => () => client.startPlan({ plan: { tasks: [{ id: "a", input: "b" }] }, ...options });
const schedule = (options: object) => () =>
  client.scheduleAgent({ id: "nightly", cron: "0 2 * * *", agent, model: "m", ...options } as never);

test.each([
  ["a run", run({ id: "Y/l" }), '"Y/l" cannot be the id of a run: it has "/"'],
  ["a run", run({ id: "a\nb" }), "U+000A"],
  ["a plan", plan({ id: "../a" }), 'it has ".."'],
  ["a schedule", schedule({ id: "a/b" }), 'try "a-b"'],
])(
  "%s with an id that cannot be used is refused with invalid_id before the server is asked",
  async (_what, call, says) => {
    const refused = await refusalOf(call);
    expect(refused.code).toBe("invalid_id");
    expect(refused.message).toContain(says);
  },
);

test.each([
  ["a run", run],
  ["a schedule", schedule],
])("%s whose context does not fit the agent's signature is refused with every field", async (_what, start) => {
  const typed = { ...agent, signature: "(order_id :int, amount :int, scheduled_at :string?) -> :any" };
  const { code, message } = await refusalOf(start({ agent: typed, context: { order_id: "abc" } }));
  expect(code).toBe("validation_error");
  expect(message).toBe(
    'context.amount: expected field, got nil; context.order_id: cannot coerce string "abc" to integer',
  );
});

test("a context that does not fit an agent's schema is refused with its place", async () => {
  const charge = defineAgent({ prompt: "Charge.", input: z.object({ order_id: z.int() }) });
  const { code, details } = await refusalOf(run({ agent: charge, context: { order_id: "abc" } }));
  expect(code).toBe("validation_error");
  expect(details).toMatchObject({ issues: [{ path: "order_id" }] });
});

test.each([
  ["the context", run({ context: { order_id: Number("12345678901234567890") } }), "order_id"],
  ["the task", task({ id: "a", context: { order: { id: 2 ** 53 } } }), "context.order.id"],
  ["the decision", () => client.agent("a").recordDecision({ id: "paid", value: [2 ** 60], by: "ana" }), "value[0]"],
])("an integer beyond 2^53 in %s is refused: it is another one than was written", async (what, call, place) => {
  const { code, message } = await refusalOf(call);
  expect(code).toBe("invalid_input");
  expect(message).toContain(`${place} of ${what} cannot be sent: it is an integer beyond 2^53`);
});

test("a wrong task is refused with invalid_task, and every mistake is named", async () => {
  const { code, message, details } = await refusalOf(
    task({ id: "a/b", issueId: "", workflowType: "one", priority: "high", status: "SLEEPING" }),
  );
  expect(code).toBe("invalid_task");
  const { issues } = details as unknown as { issues: { path: string }[] };
  const paths = issues.map(({ path }) => path);
  expect(paths.sort()).toEqual(["task.id", "task.issueId", "task.priority", "task.status"]);
  expect(message).toContain('try "a-b"');
});

test.each([undefined, null, 5, [], {}])("the task %j is refused with invalid_task", async (given) => {
  expect((await refusalOf(task(given))).code).toBe("invalid_task");
});

test("a wrong definition and a wrong agent of a task are refused with invalid_task", async () => {
  const call = () =>
    client.startTask({ task: { id: "a" }, definition: { id: "one" }, agents: { x: {} }, model: "m" } as never);
  const { code, details } = await refusalOf(call);
  expect(code).toBe("invalid_task");
  expect(JSON.stringify(details)).toContain("agents.x.prompt");
});

test.each([undefined, null, "", {}, { prompt: "x", max_turns: 0 }])(
  "the agent %j of a run is refused with invalid_agent",
  async (wrong) => {
    expect((await refusalOf(run({ agent: wrong }))).code).toBe("invalid_agent");
  },
);

const circle: unknown[] = [];
circle.push(circle);

test.each([
  ["NaN", { total: Number.NaN }, "total"],
  ["a bigint", { order: { id: 42n } }, "order.id"],
  ["a Date", { due: new Date(0) }, "due"],
  ["a Map", { items: [new Map()] }, "items[0]"],
  ["undefined in the depth", { order: { note: undefined } }, "order.note"],
  ["a function", { f: () => 1 }, "f"],
  ["a circle", { list: circle }, "list[0]"],
])("%s is refused with its place, in contexts, journals, tasks, plans and decisions", async (_what, value, path) => {
  const wrongValues = [
    run({ context: value }),
    run({ journal: value }),
    schedule({ context: value }),
    () => client.agent("x").recordDecision({ id: "a", by: "anna", value: value as never }),
    () => client.agent("x").signalDecision({ id: "a", by: "anna", value: value as never }),
    () => client.agent("x").decide({ review: "r", choice: "c", by: "anna", value: value as never }),
    () => client.task("x").decide({ review: "r", choice: "c", by: "anna", value: value as never }),
    () => client.task("x").signalDecision({ review: "r", choice: "c", by: "anna", value: value as never }),
    () => client.task("x").advance({ result: "passed", output: value as never }),
    () => client.completeTool("AAAAAAAAAAAAAAAAAAAAAAAA", value as never),
    task({ id: "a", issueId: "a", workflowType: "one", context: value }),
  ];
  for (const call of wrongValues) {
    const refused = await refusalOf(call);
    expect(refused.code).toBe("invalid_input");
    expect(refused.details?.path).toMatch(new RegExp(`${path.replace(/[[\].]/g, "\\$&")}$`));
    expect(refused.message).toContain(path);
  }
});

test.each([
  ["a context", run({ context: { text: "x".repeat(2_500_000) } })],
  ["a decision", () => client.task("x").decide({ review: "r", choice: "c", by: "a", value: "x".repeat(2_500_000) })],
  ["a record", () => client.agent("x").recordDecision({ id: "a", by: "a", value: "x".repeat(2_500_000) })],
  ["an output", () => client.task("x").advance({ output: "x".repeat(2_500_000) })],
])("%s of 2.5 MB is refused with payload_too_large and its size", async (_what, call) => {
  const { code, details } = await refusalOf(call);
  expect(code).toBe("payload_too_large");
  expect(details).toMatchObject({ bytes: expect.any(Number), limit: 1_900_000 });
});

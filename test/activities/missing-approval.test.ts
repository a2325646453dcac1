import { createActivities } from "../../src/activities";
import type { CallToolInput } from "../../src/core/calls/activities";
import { createModels } from "../../src/models";
import { defineTool, ToolRegistry } from "../../src/tools";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { activityEnvironment } from "./environment";

/**
 * A call of a run that knows its tool as less strict than the worker: a deploy has changed it, or somebody writes to the namespace.
 */

const input: CallToolInput = {
  name: "pay",
  args: { cents: 5 },
  idempotency_key: "agent/a~~1.1",
  agent: null,
  task: null,
  turn: 1,
};

const people = { anna: { keys: [publicKey(newKey())] } };

function called(name: string, file: unknown, more: Partial<CallToolInput> = {}) {
  const paid = jest.fn(() => "paid");
  const signature = "(cents :int) -> :string";
  const tools = new ToolRegistry([
    defineTool({ name: "pay", signature, effect: "irreversible", approval: true, run: paid }),
    defineTool({ name: "look", signature, run: paid }),
  ]);
  const { callTool } = createActivities({
    models: createModels({ env: {} }),
    tools,
    client: {} as never,
    people: () => peopleOf(file),
  });
  return { paid, answer: activityEnvironment().run(callTool, { ...input, name, ...more }) };
}

test.each([
  ["where decisions count by their signatures alone", { people, policy: { unsigned: "never" } }],
  ["where decisions without a signature may count", { people }],
  ["where nobody is known", {}],
])("it is not made %s, and the run gets the declaration", async (_, file) => {
  const { answer, paid } = called("pay", file);
  const details = { code: "tool_changed", tool: "pay", kind: "approval", spec: { name: "pay", approval: true } };
  expect(await answer).toMatchObject({ ok: false, fail: { reason: "tool_error", details } });
  expect(paid).not.toHaveBeenCalled();
});

test("it is made where the tool asks nobody", async () =>
  expect(await called("look", { people, policy: { unsigned: "never" } }).answer).toEqual({ ok: true, value: "paid" }));

test("arguments that do not fit the tool of this worker are refused before anything else", async () => {
  const { answer, paid } = called("pay", {}, { args: { euros: 5 } });
  expect(await answer).toMatchObject({ ok: false, fail: { details: { code: "invalid_tool_args", tool: "pay" } } });
  expect(paid).not.toHaveBeenCalled();
});

test("a read that has become a write is not made as a read", async () => {
  const { answer, paid } = called("look", {}, { reads: true });
  expect(await answer).toMatchObject({ ok: false, fail: { details: { code: "tool_changed", kind: "effect" } } });
  expect(paid).not.toHaveBeenCalled();
});

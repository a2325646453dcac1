import { createActivities } from "../../src/activities";
import type { CallToolInput } from "../../src/core/calls/activities";
import { createModels } from "../../src/models";
import { defineTool, ToolRegistry } from "../../src/tools";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { activityEnvironment } from "./environment";

/** A call that comes without an approval: from a run whose tool needed none, or from somebody who writes to the namespace. */

const input: CallToolInput = {
  name: "pay",
  args: { cents: 5 },
  idempotency_key: "agent/a~~1.1",
  agent: null,
  task: null,
  turn: 1,
};

const people = { anna: { keys: [publicKey(newKey())] } };

function called(name: string, file: unknown) {
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
  return { paid, answer: activityEnvironment().run(callTool, { ...input, name }) };
}

test("a project that takes signed decisions alone does not make it", async () => {
  const { answer, paid } = called("pay", { people, policy: { unsigned: "never" } });
  expect(await answer).toMatchObject({ ok: false, fail: { details: { code: "unverified_decision", tool: "pay" } } });
  expect(paid).not.toHaveBeenCalled();
});

test.each([
  ["where decisions without a signature may count", "pay", { people }],
  ["where nobody is known", "pay", {}],
  ["where the tool asks nobody", "look", { people, policy: { unsigned: "never" } }],
])("it is made %s", async (_, name, file) => {
  expect(await called(name, file).answer).toEqual({ ok: true, value: "paid" });
});

import { parseAgent } from "../../../../../src/core/agent/definition/parse-agent";
import { NODE_TYPES } from "../../../../../src/core/graph/nodes";
import { beginAgentWork } from "../../../../../src/core/graph/task/machine/agent-work";
import { branchTasks, subflowTask } from "../../../../../src/core/graph/task/machine/child-tasks";
import { readTaskSetup } from "../../../../../src/core/graph/task/machine/read-task-setup";
import type { TaskState } from "../../../../../src/core/graph/task/machine/task-state";
import { stateOf } from "./machine-rig";

/** Who asked for a task is told to all that works for it (approvals reference, section 5). */

const definition = {
  id: "orders",
  nodes: {
    start: { type: "start" },
    pay: { type: "task", name: "Pay", agent: "payer" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "pay" },
    { from: "pay", to: "done", on: "passed" },
  ],
};

const readSetup = (requested_by: unknown) =>
  readTaskSetup({ task: { id: "order-7" }, definition, requested_by }, { now: 0, knownFields: true });

function opened(): TaskState {
  const read = readSetup("eve");
  if (!read.ok) throw new Error(read.fail.message);
  return stateOf(read.value);
}

test("the setup of a task takes a name, and nothing else", () => {
  expect(readSetup("eve")).toMatchObject({ ok: true, value: { requested_by: "eve" } });
  for (const wrong of ["", 7, null])
    expect(readSetup(wrong)).toMatchObject({ fail: { details: { issues: [{ path: "requested_by" }] } } });
});

test("branches, subflows and agents inherit it", () => {
  const state = opened();
  expect(branchTasks(state, ["pay"], 0)[0]?.setup).toMatchObject({ requested_by: "eve" });
  const node = NODE_TYPES.subflow.schema().parse({ type: "subflow", name: "Ship", workflow: "orders" });
  const found = { definition: state.definition as never, version: 1 };
  expect(subflowTask(state, node as never, found, 0).setup).toMatchObject({ requested_by: "eve" });
  const agent = parseAgent({ prompt: "Pay." });
  if (!agent.ok) throw new Error(agent.fail.message);
  expect(beginAgentWork(state, agent.value, "task/order-7")).toMatchObject({
    value: { input: { requested_by: "eve" } },
  });
});

test("reviews of the task name who asked", () => {
  const { reviews } = opened();
  const asked = reviews.request(
    { kind: "gate", about: "pay", title: "Pay?", body: "", data: {}, choices: ["passed"] },
    "task/order-7",
    0,
  );
  expect(asked.requestedBy).toBe("eve");
  const eve = { review: asked.id, choice: "passed", by: "eve" };
  expect(reviews.decision(eve, 1)).toMatchObject({ fail: { reason: "self_approval" } });
});

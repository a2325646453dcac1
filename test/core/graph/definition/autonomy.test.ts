import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { definition, gate, task } from "./definitions";

/** A success end that leads on is the boundary of a stage (graph reference, section 9.5). */
const staged = definition(
  {
    build: task(),
    check: gate({ maxRetries: 1 }),
    built: { type: "end", result: "success" },
    alerted: { type: "end", result: "success", escalation: "alert" },
    asked: { type: "end", result: "success", escalation: "hitl" },
    given_up: { type: "end", result: "failure" },
    ship: task({ outputs: ["passed", "failed", "ask", "tell"] }),
  },
  [
    ["start", "build"],
    ["build", "check"],
    ["check", "built", "passed"],
    ["check", "build", "failed"],
    ["check", "built", "max_retries_exceeded"],
    ["built", "ship", "passed"],
    ["ship", "done", "passed"],
    ["ship", "given_up", "failed"],
    ["ship", "asked", "ask"],
    ["ship", "alerted", "tell"],
    ["asked", "ship", "passed"],
    ["alerted", "ship", "passed"],
    ["given_up", "build", "passed"],
  ],
);

const marked = (currentStep: string, more: object = {}): Task => ({
  ...newTask({ id: "t", issueId: "i", workflowType: staged.id, currentStep }, staged, 0),
  ...{ autonomy: true },
  ...more,
});

function advanced(current: Task, result: string) {
  const moved = advanceTask(staged, current, { result }, 5);
  if (!moved.ok) throw new Error(moved.fail.message);
  return moved;
}

test("a marked task passes the boundary in the same call, with its counters emptied and both moves in its history", () => {
  const {
    answer,
    task: after,
    entry,
  } = advanced(marked("check", { stepRetries: { check: 1, other: 2 }, retryCount: 3 }), "passed");
  expect(answer).toEqual({
    success: true,
    previousStep: "check",
    nextStep: "ship",
    action: "conditional",
    autonomyContinued: true,
    task: after,
  });
  expect(after).toMatchObject({ currentStep: "ship", status: "PENDING", stepRetries: {}, retryCount: 3, updatedAt: 5 });
  expect(after).not.toHaveProperty("endResult");
  expect(after.history).toEqual([
    { step: "check", to: "built", result: "passed", action: "conditional", at: 5 },
    { step: "built", to: "ship", result: "passed", action: "conditional", at: 5 },
  ]);
  expect(entry).toEqual(after.history[0]);
});

test("an escalation to a success end passes it too, and still reports the retries used", () => {
  expect(advanced(marked("check", { stepRetries: { check: 1 } }), "failed").answer).toMatchObject({
    nextStep: "ship",
    action: "escalate",
    reason: "max_retries_exceeded",
    retriesUsed: 1,
    autonomyContinued: true,
    task: { stepRetries: {} },
  });
});

test("an alert at the end of a stage does not stop the task", () => {
  expect(advanced(marked("ship"), "tell").answer).toMatchObject({ nextStep: "ship", autonomyContinued: true });
});

test.each([
  {
    name: "an unmarked task",
    more: { autonomy: undefined },
    at: "check",
    result: "passed",
    to: "built",
    status: "COMPLETED",
  },
  {
    name: "a task marked false",
    more: { autonomy: false },
    at: "check",
    result: "passed",
    to: "built",
    status: "COMPLETED",
  },
  { name: "a success without a way on", more: {}, at: "ship", result: "passed", to: "done", status: "COMPLETED" },
  { name: "a failure", more: {}, at: "ship", result: "failed", to: "given_up", status: "FAILED" },
  { name: "a success that asks for a person", more: {}, at: "ship", result: "ask", to: "asked", status: "HITL" },
])("$name stops at the end: $status", ({ more, at, result, to, status }) => {
  const { answer, task: after } = advanced(marked(at, more), result);
  expect(answer).toMatchObject({ nextStep: to, task: { status } });
  expect(answer).not.toHaveProperty("autonomyContinued");
  expect(after.history).toHaveLength(1);
});

test("a task that stopped at the boundary is closed", () => {
  const { task: stopped } = advanced(marked("check", { autonomy: false }), "passed");
  expect(advanceTask(staged, stopped, { result: "passed" }, 6)).toMatchObject({ fail: { reason: "task_closed" } });
});

import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { definition, reviewed, task } from "../definition/definitions";
import { answerOf, stuck, walked } from "./moves";

/** Out of HITL only by a recovery edge (graph reference, sections 4 and 9.4). */
const waiting = (currentStep: string, flow = reviewed): Task =>
  newTask({ id: "t", issueId: "i", workflowType: flow.id, currentStep, status: "HITL" }, flow, 0);

test("a task that waits for a person at a work step has no recovery edge: its own edges do not count", () => {
  expect(advanceTask(reviewed, waiting("review"), { result: "passed" }, 1)).toMatchObject({
    ok: false,
    fail: { reason: "task_in_hitl", details: { recoverable: false } },
  });
});

test("only an edge on passed to a step that is not an end recovers, and the first in the file is used", () => {
  const flow = definition({ S: task(), T: task() }, [
    ["start", "S"],
    ["S", "human", "failed"],
    ["S", "T", "passed"],
    ["T", "done"],
    ["human", "done", "passed"],
    ["human", "S"],
    ["human", "T", "passed"],
    ["human", "S", "passed"],
  ]);
  expect(advanceTask(flow, waiting("human", flow), { result: "passed" }, 1)).toMatchObject({
    answer: { nextStep: "T", action: "conditional", task: { status: "PENDING" } },
  });
  expect(advanceTask(flow, waiting("human", flow), {}, 1)).toMatchObject({ fail: { reason: "task_in_hitl" } });
});

test("passed takes a task out of HITL with its step counters emptied and the task's count kept", () => {
  const answer = answerOf(stuck, "passed");
  expect(answer).toMatchObject({ success: true, nextStep: "build", action: "conditional" });
  expect(answer.task).toMatchObject({ status: "PENDING", stepRetries: {}, retryCount: 3 });
  expect(answer.task).not.toHaveProperty("endResult");
  expect(answerOf(walked(answer.task, [undefined]), "failed")).toMatchObject({ action: "retry", retriesUsed: 1 });
});

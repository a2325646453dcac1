import { type Advance, advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { reviewed } from "../definition/definitions";

/** Tasks at a step, and what moving them gives. */
export const NOW = 1_700_000_000_000;

export const at = (currentStep: string, more: Partial<Task> = {}, flow = reviewed): Task =>
  newTask({ id: "t-1", issueId: "I-1", workflowType: flow.id, currentStep, ...more }, flow, NOW);

/** Advances where no refusal is expected. */
export function advanced(current: Task, given: Advance, now = NOW + 1, flow = reviewed) {
  const moved = advanceTask(flow, current, given, now);
  if (!moved.ok) throw new Error(moved.fail.message);
  return moved;
}

export const answerOf = (current: Task, result?: string, flow = reviewed) =>
  advanced(current, result === undefined ? {} : { result }, NOW + 1, flow).answer;

/** Advances by each result in turn; every one must move the task. */
export function walked(start: Task, results: (string | undefined)[], flow = reviewed): Task {
  return results.reduce((current, result) => {
    const answer = answerOf(current, result, flow);
    expect(answer.success).toBe(true);
    return answer.task;
  }, start);
}

/** With a person, after three retries. */
export const stuck = at("human", {
  status: "HITL",
  retryCount: 3,
  stepRetries: { review: 3 },
  endResult: "blocked",
  escalation: "hitl",
});

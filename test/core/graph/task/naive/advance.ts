import { choose } from "./choose";
import { type NaiveGraph, typeOf } from "./graph";

/** A task and its moves (graph reference, sections 3.1, 4, 4.1, 9.1, 9.3, 9.4 and 9.5); of 9.3 the statuses alone. */
export interface NaiveTask {
  currentStep: string;
  status: string;
  retryCount: number;
  stepRetries: Map<string, number>;
  autonomy: boolean;
  /** It walks a branch of another task. */
  isChild: boolean;
  endResult: string | undefined;
  escalation: string | undefined;
  history: { step: string; to: string | null; result: string | null; action: string }[];
}

export type NaiveAnswer = { error: string } | { [field: string]: unknown; task: NaiveTask };

export function naiveAdvance(
  graph: NaiveGraph,
  before: NaiveTask,
  given: { result?: string; expectedStep?: string },
): NaiveAnswer {
  const { result, expectedStep } = given;
  const S = before.currentStep;
  if (expectedStep !== undefined && expectedStep !== S) return { error: "step_changed" };
  if (before.status === "COMPLETED" || before.status === "FAILED") return { error: "task_closed" };
  if (before.status === "PAUSED") return { error: "task_paused" };
  const node = graph.nodes.get(S);
  if (node === undefined) return { error: "step_not_found" };

  const task: NaiveTask = {
    ...before,
    stepRetries: new Map(before.stepRetries),
    history: before.history.map((line) => ({ ...line })),
  };
  if (before.status === "HITL") {
    const target = wayBackToWork(graph, S);
    if (result !== "passed" || target === null) return { error: "task_in_hitl" };
    task.stepRetries.clear();
    return went(graph, task, S, target, result, "conditional", {});
  }

  const M = node.maxRetries ?? 0;
  const used = before.stepRetries.get(S) ?? 0;
  const choice = choose(graph, S, result, used);
  if ("error" in choice) return { error: choice.error };
  if ("available" in choice)
    return {
      success: false,
      previousStep: S,
      nextStep: null,
      action: choice.action,
      result: result ?? null,
      availableEdges: choice.available,
      task: before,
    };
  let counters: object = {};
  if (choice.action === "retry") {
    task.stepRetries.set(S, used + 1);
    task.retryCount = task.retryCount + 1;
    counters = { retriesUsed: used + 1, retriesRemaining: M - (used + 1), maxRetries: M };
  } else if (choice.action === "escalate") {
    counters = { reason: "max_retries_exceeded", retriesUsed: used, retriesRemaining: 0, maxRetries: M };
  } else task.stepRetries.delete(S);
  return went(graph, task, S, choice.to, result, choice.action, counters);
}

function went(
  graph: NaiveGraph,
  task: NaiveTask,
  from: string,
  to: string | null,
  result: string | undefined,
  action: string,
  counters: object,
): NaiveAnswer {
  stand(graph, task, from, to, result, action);
  const answer: NaiveAnswer = { success: true, previousStep: from, nextStep: to, action, ...counters, task };
  if (to === null || typeOf(graph, to) !== "end") return answer;
  // 9.5: through a success end that leads on to work, never through HITL.
  const onward = wayBackToWork(graph, to);
  if (task.autonomy && task.status === "COMPLETED" && onward !== null) {
    stand(graph, task, to, onward, "passed", "conditional");
    task.stepRetries.clear();
    return { ...answer, nextStep: onward, autonomyContinued: true };
  }
  const end = graph.nodes.get(to);
  const terminal = task.status === "HITL" ? "hitl" : task.status === "COMPLETED" ? "success" : "failure";
  const arrived = { ...answer, terminal, endResult: end?.result };
  return end?.escalation === undefined ? arrived : { ...arrived, escalation: end.escalation };
}

/** Puts the task where it goes, and writes the line of its history. */
function stand(
  graph: NaiveGraph,
  task: NaiveTask,
  from: string,
  to: string | null,
  result: string | undefined,
  action: string,
): void {
  task.history.push({ step: from, to, result: result ?? null, action });
  task.endResult = undefined;
  task.escalation = undefined;
  if (to === null) {
    task.status = "FAILED";
    return;
  }
  task.currentStep = to;
  const node = graph.nodes.get(to);
  if (node?.type === "end") {
    task.endResult = node.result;
    task.escalation = node.escalation;
    if (node.escalation === "hitl") task.status = "HITL";
    else if (node.result === "success") task.status = "COMPLETED";
    else task.status = "FAILED";
  } else if (node?.type === "fork" || node?.type === "subflow") task.status = "IN_PROGRESS";
  else if (node?.type === "join" && task.isChild) task.status = "COMPLETED";
  else task.status = "PENDING";
}

/** 9.4: an end node may have an edge on `passed` to a work step. */
function wayBackToWork(graph: NaiveGraph, end: string): string | null {
  if (typeOf(graph, end) !== "end") return null;
  for (const edge of graph.edges)
    if (edge.from === end && edge.on === "passed" && typeOf(graph, edge.to) !== "end") return edge.to;
  return null;
}

import { type Definition, edgesFrom, type Node, outputsOf } from "../definition/schema";
import { arrivalAt } from "../task/arrive";
import type { Task } from "../task/task-schema";
import { recoveryOf } from "../task/ways-out";

/** The last line of a step's instructions: what to call now, or that nothing is to be called. */
export function callToMake(definition: Definition, task: Task, node: Node): string {
  const { id, currentStep, status } = task;
  if (node.type === "end") return atEnd(definition, task);
  if (status === "COMPLETED" && node.type === "join")
    return "This branch is complete. Nothing is to be called: the task of the fork goes on when all branches are over.";
  if (status === "COMPLETED" || status === "FAILED") return ended(status);
  if (status === "PAUSED") return "The task is paused. Nothing is to be called until it is resumed.";
  switch (node.type) {
    case "start":
      return `To begin, call ${advance(id)}.`;
    case "fork":
      return `${others(
        task,
        edgesFrom(definition, currentStep).map(({ to }) => to),
      )} By hand: call ${advance(id, PASSED_OR_FAILED)}.`;
    case "subflow":
      return task.blockedBy === undefined
        ? others(task, [currentStep])
        : `The workflow ${node.workflow} is not loaded. Without it, call ${advance(id, PASSED_OR_FAILED)}.`;
    default:
      return `When it is done, call ${advance(id, anyOf(outputsOf(node)))}.`;
  }
}

function atEnd(definition: Definition, { id, currentStep, status }: Task): string {
  const { terminal, endResult, escalation } = arrivalAt(definition, currentStep);
  const raise = escalation === "alert" ? " Raise an alert." : escalation === "ticket" ? " File a ticket." : "";
  if (terminal === "success") return `The workflow is complete.${raise} Nothing is to be called.`;
  if (terminal === "failure") return `The workflow failed (${endResult}).${raise} Nothing is to be called.`;
  if (status === "COMPLETED" || status === "FAILED") return ended(status);
  const recovery = recoveryOf(definition, currentStep);
  return recovery
    ? `Human needed. When a person has helped, call ${advance(id, '"passed"')}: it goes on at ${recovery.to}.`
    : "Human needed. No step leads on from here: a person must send the task to a step or close it.";
}

/** A fork or a subflow is worked at by tasks of its own. */
function others({ id, waitingFor }: Task, steps: readonly string[]): string {
  const open = waitingFor ?? steps.map((step) => `${id}/${step}`);
  const tasks = open.map((other) => `"${other}"`).join(", ");
  return `Do the work of ${open.length === 1 ? "the task" : "the tasks"} ${tasks}; this one goes on by itself when all is done.`;
}

const ended = (status: Task["status"]): string => `The task ended here (${status}). Nothing is to be called.`;

const PASSED_OR_FAILED = '"passed" or "failed"';

const advance = (id: string, results?: string): string =>
  `advance_task with taskId "${id}"${results === undefined ? "" : ` and result ${results}`}`;

function anyOf(results: readonly string[]): string {
  const quoted = results.map((result) => `"${result}"`);
  const last = quoted.at(-1) as string;
  return quoted.length === 1 ? last : `${quoted.slice(0, -1).join(", ")} or ${last}`;
}

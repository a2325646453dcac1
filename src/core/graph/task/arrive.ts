import { type Definition, type END_RESULTS, type ESCALATIONS, nodeOf } from "../definition/schema";
import { withEntry } from "./task-history";
import type { Task, TaskEntry } from "./task-schema";

/** What being at an end node means; empty elsewhere. */
export interface Arrival {
  terminal?: "success" | "failure" | "hitl";
  endResult?: (typeof END_RESULTS)[number];
  escalation?: (typeof ESCALATIONS)[number];
}

export function arrivalAt(definition: Definition, step: string): Arrival {
  const node = nodeOf(definition, step);
  if (node?.type !== "end") return {};
  const terminal = node.escalation === "hitl" ? "hitl" : node.result === "success" ? "success" : "failure";
  const end = { terminal, endResult: node.result } as const;
  return node.escalation === undefined ? end : { ...end, escalation: node.escalation };
}

const STATUS = { hitl: "HITL", success: "COMPLETED", failure: "FAILED" } as const;

/**
 * The task after a move, with its history one line longer (graph reference, section 4.1). Without a target the
 * task stays where it is and has failed: retries used up, and nothing leads out.
 */
export function arrive(definition: Definition, task: Task, entry: TaskEntry): Task {
  const { endResult: _left, escalation: _raised, waitingFor: _open, blockedBy: _blocked, ...rest } = task;
  const { terminal, ...end } = entry.to === null ? {} : arrivalAt(definition, entry.to);
  return {
    ...rest,
    currentStep: entry.to ?? task.currentStep,
    status: entry.to === null ? "FAILED" : terminal ? STATUS[terminal] : workStatus(definition, task, entry.to),
    updatedAt: entry.at,
    ...end,
    history: withEntry(task.history, entry),
  };
}

/** Back in the queue; but a branch is over at its join, and who waits for other tasks is not offered to anybody. */
function workStatus(definition: Definition, task: Task, step: string): Task["status"] {
  switch (nodeOf(definition, step)?.type) {
    case "join":
      return task.parentTaskId === undefined ? "PENDING" : "COMPLETED";
    case "fork":
    case "subflow":
      return "IN_PROGRESS";
    default:
      return "PENDING";
  }
}

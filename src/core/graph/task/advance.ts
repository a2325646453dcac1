import type { Failure } from "../../base/failure";
import { type Definition, nodeOf } from "../definition/schema";
import { endingAt, recoveryOf } from "../nodes/end";
import type { Ending } from "../nodes/node-kind";
import type { Advance } from "./advance-input";
import { arrive } from "./arrive";
import { type AvailableEdge, evaluateEdge, shortResult } from "./evaluate-edge";
import { retriesUsedAt } from "./new-task";
import type { Task, TaskEntry } from "./task-schema";

/** Advances a task by the result of its current step (graph reference, sections 3.1, 4, 9.4 and 9.5). */

/** What a move gave: where the task went and how, or that no edge fits the result (graph reference, section 4). */
export type AdvanceAnswer = Moved | Stayed;

interface Moved extends Partial<Ending> {
  success: true;
  previousStep: string;
  /** null: retries are used up and nothing leads out. */
  nextStep: string | null;
  action: "unconditional" | "conditional" | "retry" | "escalate";
  reason?: "max_retries_exceeded";
  retriesUsed?: number;
  retriesRemaining?: number;
  maxRetries?: number;
  /**
   * It reached a success end and continued through it: `nextStep` is where it is now, and the history has both moves.
   */
  autonomyContinued?: true;
  /** The move was made by an earlier call that named the same version: nothing moved now. */
  repeated?: true;
  /** Of the task after the move: the number of its moves. */
  version?: number;
  task: Task;
}

/** The graph has no edge for this result: the call succeeded and nothing changed. */
interface Stayed {
  success: false;
  previousStep: string;
  nextStep: null;
  action: "no_matching_edge" | "no_outgoing_edges";
  /** A long one is shortened. */
  result: string | null;
  availableEdges: AvailableEdge[];
  version?: number;
  task: Task;
}

/**
 * The task after a move, or why it was refused. `entry` is the new line of the task's history; null when nothing moved.
 */
export type Advanced =
  | { ok: true; task: Task; answer: AdvanceAnswer; entry: TaskEntry | null }
  | { ok: false; fail: Failure };

/**
 * Moves a task along the edge that its result chooses. The given task is left as it is. From a fork it goes where the
 * join leads, so it never stands on the join; whether branches are open is for the caller to ask first.
 *
 * Refuses with `step_changed`, `task_closed`, `task_paused`, `step_not_found`, `task_in_hitl`,
 * `result_required`, `reserved_result`, `invalid_result`. A result without a way is no refusal: `answer.success` is
 * false, `entry` null and the task unchanged; a caller that drives the task must not simply try again.
 */
export function advanceTask(definition: Definition, task: Task, given: Advance, nowMs: number): Advanced {
  const { result, output, expectedStep, by } = given;
  const step = task.currentStep;
  const refusal = refusalOf(definition, task, expectedStep);
  if (refusal) return { ok: false, fail: refusal };

  const entryTo = (to: string | null, action: TaskEntry["action"]): TaskEntry => {
    const entry: TaskEntry = { step, to, result: result ?? null, action, at: nowMs };
    if (output !== undefined) entry.output = output;
    if (by !== undefined) entry.by = by;
    return entry;
  };

  if (task.status === "HITL") {
    const recovery = recoveryOf(definition, step);
    if (!recovery || result !== "passed") return { ok: false, fail: inHitl(task, recovery !== undefined) };
    // Emptied, because otherwise the resumed task would escalate again at its first failure.
    return moved(definition, { ...task, stepRetries: {} }, entryTo(recovery.to, "conditional"));
  }

  const way = evaluateEdge(definition, step, result, retriesUsedAt(task, step));
  switch (way.kind) {
    case "refused":
      return { ok: false, fail: way.fail };
    case "no_way": {
      const { action, availableEdges } = way;
      const answer: Stayed = {
        success: false,
        previousStep: step,
        nextStep: null,
        action,
        result: result === undefined ? null : shortResult(result),
        availableEdges,
        task,
      };
      return { ok: true, task, answer, entry: null };
    }
    case "edge":
      return moved(definition, forgiven(task, step), entryTo(way.to, way.action));
    case "counted": {
      const { to, action, retriesUsed, retriesRemaining, maxRetries } = way;
      const counters = { retriesUsed, retriesRemaining, maxRetries };
      return action === "escalate"
        ? moved(definition, task, entryTo(to, action), { reason: "max_retries_exceeded", ...counters })
        : moved(definition, retried(task, step, retriesUsed), entryTo(to, action), counters);
    }
  }
}

function refusalOf(definition: Definition, task: Task, expectedStep: string | undefined): Failure | null {
  const { id, currentStep, status } = task;
  // This comes first: a sender that repeats a call must learn that the first one worked, also if it ended the task.
  if (expectedStep !== undefined && expectedStep !== currentStep)
    return {
      reason: "step_changed",
      message: `Task "${id}" is at "${currentStep}", not at "${expectedStep}": nothing moved.`,
      details: { currentStep, status },
    };
  if (status === "COMPLETED" || status === "FAILED")
    return {
      reason: "task_closed",
      message: `Task "${id}" ended at "${currentStep}" (${status}).`,
      details: { currentStep, status },
    };
  if (status === "PAUSED")
    return { reason: "task_paused", message: `Task "${id}" is paused at "${currentStep}".`, details: { currentStep } };
  if (!nodeOf(definition, currentStep))
    return {
      reason: "step_not_found",
      message: `Workflow "${definition.id}" has no step "${currentStep}", where task "${id}" is.`,
      details: { currentStep },
    };
  return null;
}

function inHitl(task: Task, recoverable: boolean): Failure {
  const how = recoverable
    ? 'Only the result "passed" takes it back to work.'
    : "No edge leads back to work from there: a person must send it to a step or close it.";
  return {
    reason: "task_in_hitl",
    message: `Task "${task.id}" waits for a person at "${task.currentStep}". ${how}`,
    details: { currentStep: task.currentStep, recoverable },
  };
}

type Counters = Partial<Pick<Moved, "reason" | "retriesUsed" | "retriesRemaining" | "maxRetries">>;

function moved(definition: Definition, task: Task, entry: TaskEntry, counters?: Counters): Advanced {
  const { step: previousStep, to, action } = entry as TaskEntry & Pick<Moved, "action">;
  const arrived = arrive(definition, task, entry);
  const next = goneOn(definition, arrived, entry.at);
  const answer: Moved = { success: true, previousStep, nextStep: to, action, task: next };
  if (counters) Object.assign(answer, counters);
  if (next !== arrived) Object.assign(answer, { nextStep: next.currentStep, autonomyContinued: true });
  else if (to !== null && next.endResult !== undefined) Object.assign(answer, endingAt(definition, to));
  return { ok: true, task: next, answer, entry };
}

/** An autonomous task does not stop at a success end with an outgoing edge, which is the boundary of a stage. */
function goneOn(definition: Definition, task: Task, atMs: number): Task {
  if (task.status !== "COMPLETED" || task.autonomy !== true) return task;
  const onward = recoveryOf(definition, task.currentStep);
  if (!onward) return task;
  const entry: TaskEntry = { step: onward.from, to: onward.to, result: "passed", action: "conditional", at: atMs };
  return arrive(definition, { ...task, stepRetries: {} }, entry);
}

function retried(task: Task, step: string, used: number): Task {
  // A computed key makes an own property even of `__proto__`.
  return { ...task, retryCount: task.retryCount + 1, stepRetries: { ...task.stepRetries, [step]: used } };
}

/** Leaving a step by passing resets its retries. */
function forgiven(task: Task, step: string): Task {
  const { stepRetries } = task;
  if (!Object.hasOwn(stepRetries, step)) return task;
  const others = Object.keys(stepRetries).filter((id) => id !== step);
  return { ...task, stepRetries: Object.fromEntries(others.map((id) => [id, stepRetries[id] as number])) };
}

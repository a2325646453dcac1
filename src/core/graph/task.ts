import { type Failure, failed } from "../failure";
import type { Json, JsonObject } from "../json";
import { evaluateEdge, type Move } from "./evaluate-edge";
import { type Definition, type EndNode, type EndResult, type Escalation, type Node, nodeOf, startOf } from "./schema";

/** A task on a graph (navigator reference, section 5). Times in ms since 1970. */
export const TASK_STATUSES = ["PENDING", "IN_PROGRESS", "PAUSED", "HITL", "COMPLETED", "FAILED"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface HistoryEntry {
  step: string;
  /** null: the step was left without a result. */
  result: string | null;
  action: string;
  to: string | null;
  at: number;
  output?: Json;
}

export interface Task {
  id: string;
  issueId: string;
  workflowType: string;
  currentStep: string;
  /** Bigger is more important. */
  priority: number;
  status: TaskStatus;
  /** Retries of all steps together; never reset by navigation. */
  retryCount: number;
  context: JsonObject;
  stepRetries: { [step: string]: number };
  createdAt: number;
  updatedAt: number;
  history: HistoryEntry[];
  endResult?: EndResult;
  escalation?: Escalation;
}

export interface NewTask {
  id: string;
  issueId: string;
  workflowType: string;
  currentStep?: string;
  priority?: number;
  context?: JsonObject;
}

export function newTask(given: NewTask, definition: Definition, now: number): Task {
  return {
    id: given.id,
    issueId: given.issueId,
    workflowType: given.workflowType,
    currentStep: given.currentStep ?? startOf(definition),
    priority: given.priority ?? 0,
    status: "PENDING",
    retryCount: 0,
    context: given.context ?? {},
    stepRetries: {},
    createdAt: now,
    updatedAt: now,
    history: [],
  };
}

export interface StepResult {
  result?: string;
  output?: Json;
  /** If given and the task is elsewhere, nothing moves. */
  expectedStep?: string;
}

/** What `advance_task` answers (section 4). */
export interface AdvanceAnswer {
  success: boolean;
  previousStep: string;
  nextStep: string | null;
  action: Move["action"];
  task: Task;
  result?: string;
  reason?: "max_retries_exceeded";
  retriesUsed?: number;
  retriesRemaining?: number;
  maxRetries?: number;
  availableEdges?: { to: string; on?: string }[];
  terminal?: "success" | "failure" | "hitl";
  endResult?: EndResult;
  escalation?: Escalation;
}

export type Advanced = { ok: true; task: Task; answer: AdvanceAnswer } | { ok: false; fail: Failure };

/** Moves a task by a result, or says why not. Nothing is changed in place. */
export function advanceTask(definition: Definition, task: Task, step: StepResult, now: number): Advanced {
  const refusal = refusalOf(definition, task, step);
  if (refusal) return { ok: false, fail: refusal };
  const from = task.currentStep;
  const node = nodeOf(definition, from) as Node;
  if (node.type === "end") return recover(definition, task, step, now);
  const used = ownNumber(task.stepRetries, from);
  const evaluated = evaluateEdge(definition, from, step.result, used);
  if (!evaluated.ok) return evaluated;
  const { move } = evaluated;
  if ("availableEdges" in move) return stays(task, step, move);
  return leaves(definition, task, step, move, now);
}

function refusalOf(definition: Definition, task: Task, step: StepResult): Failure | null {
  const refuse = (reason: string, message: string) => ({ reason, message });
  if (step.expectedStep !== undefined && step.expectedStep !== task.currentStep)
    return {
      ...refuse(
        "step_changed",
        `Task ${task.id} is at "${task.currentStep}", not at "${step.expectedStep}": nothing was moved.`,
      ),
      details: { currentStep: task.currentStep },
    };
  if (task.status === "COMPLETED" || task.status === "FAILED")
    return refuse(
      "task_closed",
      `Task ${task.id} is ${task.status} at "${task.currentStep}": it cannot be advanced any more.`,
    );
  if (task.status === "PAUSED") return refuse("task_paused", `Task ${task.id} is paused at "${task.currentStep}".`);
  if (!nodeOf(definition, task.currentStep))
    return refuse("step_not_found", `The definition has no step "${task.currentStep}", where task ${task.id} stands.`);
  return null;
}

/** Out of an end with HITL, along its edge on passed (section 9.4). */
function recover(definition: Definition, task: Task, step: StepResult, now: number): Advanced {
  const edge = definition.edges.find((one) => one.from === task.currentStep && one.on === "passed");
  if (!edge || step.result !== "passed")
    return failed(
      "task_in_hitl",
      edge
        ? `Task ${task.id} waits for a person at "${task.currentStep}": only "passed" leads on.`
        : `Task ${task.id} waits for a person at "${task.currentStep}", and no edge leads back to work.`,
    );
  const moved = arrive(definition, { ...task, stepRetries: {} }, step, { action: "conditional", to: edge.to }, now);
  return {
    ok: true,
    task: moved,
    answer: answerOf(definition, task, moved, { action: "conditional", to: edge.to }, edge.to),
  };
}

function stays(task: Task, step: StepResult, move: Extract<Move, { availableEdges: unknown }>): Advanced {
  return {
    ok: true,
    task,
    answer: {
      success: false,
      previousStep: task.currentStep,
      nextStep: null,
      action: move.action,
      ...(step.result === undefined ? {} : { result: step.result }),
      availableEdges: move.availableEdges,
      task,
    },
  };
}

type Leaving = Exclude<Move, { availableEdges: unknown }>;

function leaves(definition: Definition, task: Task, step: StepResult, move: Leaving, now: number): Advanced {
  const counted = countRetries(task, move);
  const moved =
    move.to === null
      ? {
          ...counted,
          status: "FAILED" as const,
          updatedAt: now,
          history: [...task.history, entryOf(task, step, move, now)],
        }
      : arrive(definition, counted, step, move, now);
  return { ok: true, task: moved, answer: answerOf(definition, task, moved, move, move.to) };
}

/** Counters of section 3.1: up on retry, kept on escalate, forgiven when the step is left any other way. */
function countRetries(task: Task, move: Leaving): Task {
  if (move.action === "retry")
    return {
      ...task,
      retryCount: task.retryCount + 1,
      stepRetries: withNumber(task.stepRetries, task.currentStep, move.retriesUsed),
    };
  if (move.action === "escalate") return task;
  return {
    ...task,
    stepRetries: Object.fromEntries(Object.entries(task.stepRetries).filter(([step]) => step !== task.currentStep)),
  };
}

function arrive(definition: Definition, task: Task, step: StepResult, move: Leaving, now: number): Task {
  const to = move.to as string;
  const node = nodeOf(definition, to) as Node;
  const { endResult: _, escalation: __, ...rest } = task;
  const moved: Task = {
    ...rest,
    currentStep: to,
    status: "PENDING",
    updatedAt: now,
    history: [...task.history, entryOf(task, step, move, now)],
  };
  return node.type === "end" ? atEnd(moved, node) : moved;
}

function atEnd(task: Task, node: EndNode): Task {
  const status: TaskStatus = node.escalation === "hitl" ? "HITL" : node.result === "success" ? "COMPLETED" : "FAILED";
  return {
    ...task,
    status,
    endResult: node.result,
    ...(node.escalation === undefined ? {} : { escalation: node.escalation }),
  };
}

function entryOf(task: Task, step: StepResult, move: Leaving, now: number): HistoryEntry {
  return {
    step: task.currentStep,
    result: step.result ?? null,
    action: move.action,
    to: move.to,
    at: now,
    ...(step.output === undefined ? {} : { output: step.output }),
  };
}

function answerOf(definition: Definition, before: Task, task: Task, move: Leaving, to: string | null): AdvanceAnswer {
  const node = to === null ? undefined : nodeOf(definition, to);
  const counters =
    move.action === "retry" || move.action === "escalate"
      ? { retriesUsed: move.retriesUsed, retriesRemaining: move.retriesRemaining, maxRetries: move.maxRetries }
      : {};
  return {
    success: true,
    previousStep: before.currentStep,
    nextStep: to,
    action: move.action,
    ...(move.action === "escalate" ? { reason: "max_retries_exceeded" as const } : {}),
    ...counters,
    ...(node?.type === "end" ? terminalOf(node) : {}),
    task,
  };
}

function terminalOf(node: EndNode): Pick<AdvanceAnswer, "terminal" | "endResult" | "escalation"> {
  const terminal = node.escalation === "hitl" ? "hitl" : node.result === "success" ? "success" : "failure";
  return {
    terminal,
    endResult: node.result,
    ...(node.escalation === undefined ? {} : { escalation: node.escalation }),
  };
}

/** Puts a task on any step that is not an end: what a person may decide (design section 7). Retries are forgiven. */
export function sendTo(definition: Definition, task: Task, step: string, now: number, output?: Json): Task {
  const move: Leaving = { action: "conditional", to: step };
  const given: StepResult = { result: "sent", ...(output === undefined ? {} : { output }) };
  return arrive(definition, { ...task, stepRetries: {} }, given, move, now);
}

/** Ends a task that waits for a person, as the end it stands on says, without the wait. */
export function closeTask(task: Task, now: number, output?: Json): Task {
  const entry: HistoryEntry = {
    step: task.currentStep,
    result: "closed",
    action: "close",
    to: null,
    at: now,
    ...(output === undefined ? {} : { output }),
  };
  return {
    ...task,
    status: task.endResult === "success" ? "COMPLETED" : "FAILED",
    updatedAt: now,
    history: [...task.history, entry],
  };
}

const ownNumber = (map: { [key: string]: number }, key: string): number =>
  Object.hasOwn(map, key) ? (map[key] as number) : 0;

/** Without assignment, so that a step called `__proto__` is an ordinary key. */
const withNumber = (map: { [key: string]: number }, key: string, value: number): { [key: string]: number } =>
  Object.fromEntries([...Object.entries(map).filter(([one]) => one !== key), [key, value]]);

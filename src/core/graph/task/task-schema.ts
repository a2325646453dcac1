import { z } from "zod";
import { nameProblem, taskIdProblem, wrongId } from "../../base/input/id-rule";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { type Mover, MoverInput } from "../../review/people/mover";
import { END_RESULTS, ESCALATIONS } from "../definition/schema";

/** One task on one workflow, as data (graph reference, sections 4.1 and 5). Every change makes a new one. */

/** The states of a task (graph reference, section 4.1). */
export const TASK_STATUSES = ["PENDING", "IN_PROGRESS", "PAUSED", "HITL", "COMPLETED", "FAILED"] as const;
/** Where a task stands in the queue: one of `TASK_STATUSES` (graph reference, section 4.1). */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** How a step was left. The last two are moves by people. */
export const TASK_ACTIONS = ["unconditional", "conditional", "retry", "escalate", "send_to", "close"] as const;

/**
 * One move of a task. `to` is null when the task stayed: its retries were used up without an edge, or it was closed.
 */
export interface TaskEntry {
  step: string;
  to: string | null;
  result: string | null;
  action: (typeof TASK_ACTIONS)[number];
  /** Ms since 1970. */
  at: number;
  output?: Json | undefined;
  /** An agent that moved the task where a person was asked: nobody had named who decides. */
  by?: Mover | undefined;
  /** The effects that the failure of this move undid, over edges with `on_failure: undo`. */
  undo?: MoveUndo | undefined;
}

/** What a move undid (effects reference, section 9). */
export interface MoveUndo {
  /** The steps whose work was undone, in the order of undoing. */
  steps: string[];
  /** The number of effects that were taken back. */
  undone: number;
  /** What was done, or may have been done, and could not be taken back, each with the reason. */
  remaining: string[];
}

const TaskFields = onFirstUse(() => {
  const object = z.custom<JsonObject>(isObject, "must be an object");
  const count = z.int("must be a whole number, 0 or more").min(0, "must be a whole number, 0 or more");
  const full = z.string("must be a non-empty text").min(1, "must be a non-empty text");
  const number = z.number("must be a finite number");
  // Not `z.record`: it leaves out a key called `__proto__`, and steps have any name.
  const counters = z.custom<{ [step: string]: number }>(
    (value) => isObject(value) && Object.values(value).every((used) => count.safeParse(used).success),
    "must be an object whose values are whole numbers, 0 or more",
  );
  const entry = z.object({
    step: z.string(),
    to: z.string().nullable(),
    result: z.string().nullable(),
    action: z.enum(TASK_ACTIONS),
    at: number,
    output: z.custom<Json>().optional(),
    by: MoverInput().optional(),
    undo: z.object({ steps: z.array(z.string()), undone: count, remaining: z.array(z.string()) }).optional(),
  });
  return z.object({
    id: full,
    issueId: full,
    workflowType: full,
    currentStep: full,
    /** A higher number is more important. */
    priority: number,
    status: z.enum(TASK_STATUSES, `must be one of ${TASK_STATUSES.join(", ")}`),
    /** Retries of all steps; never reset by navigation. */
    retryCount: count,
    context: object,
    /** Retries taken from each step; read with `retriesUsedAt`. */
    stepRetries: counters,
    createdAt: number,
    updatedAt: number,
    /** Of the end node where the task is, if it is at one. */
    endResult: z.enum(END_RESULTS).optional(),
    escalation: z.enum(ESCALATIONS).optional(),
    /** For a branch or a subflow: the parent task. */
    parentTaskId: full.optional(),
    /** The first step of the branch that this task runs. */
    branch: full.optional(),
    /** Continues automatically through a success end with an outgoing edge (graph reference, section 9.5). */
    autonomy: z.boolean("must be true or false").optional(),
    /** Ids of the open child tasks. */
    waitingFor: z.array(z.string()).optional(),
    /** At a wait node: when it continues, ms since 1970. */
    waitingUntil: number.optional(),
    /** Why the task cannot continue automatically from its step. */
    blockedBy: z.enum(["subflow_not_loaded", "wait_time_unknown"]).optional(),
    /** Moves before those of `history`, which are only counted. */
    earlierMoves: count.optional(),
    /** Oldest first. */
    history: z.array(entry, "must be a list"),
  });
});
/** A task on a graph, complete (graph reference, section 5). Times are ms since 1970. */
export type Task = z.infer<ReturnType<typeof TaskFields>>;

/** What a task is loaded with: `id`, `issueId` and `workflowType`; everything else has defaults. */
export const TaskInput = onFirstUse(() => {
  const fields = TaskFields();
  const { id, issueId, workflowType } = fields.shape;
  const named = (field: z.ZodString) =>
    field.refine((name) => name === "" || nameProblem(name) === undefined, {
      error: ({ input }) => `cannot be used: ${nameProblem(String(input))}`,
    });
  return fields
    .partial()
    .extend({ id, issueId: named(issueId), workflowType: named(workflowType) })
    .refine((task) => wrongTaskId(task) === undefined, {
      path: ["id"],
      error: ({ input }) => `cannot be used: ${wrongTaskId(input)}`,
      // Also when another field is wrong, so that all mistakes are named at once.
      when: () => true,
    });
});

function wrongTaskId(task: unknown): string | undefined {
  if (!isObject(task) || typeof task.id !== "string" || task.id === "") return undefined;
  const { id, parentTaskId } = task;
  const problem = taskIdProblem(id, typeof parentTaskId === "string" ? parentTaskId : undefined);
  return problem && wrongId("a task", id, problem);
}
/** The fields to load a task with; all but three have defaults. */
export type TaskInput = z.infer<ReturnType<typeof TaskInput>>;

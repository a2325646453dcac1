import * as z from "zod";
import { TASK_STATUSES } from "../../core/graph/task/task-schema";

/**
 * Arguments and results of several tools. Results are open objects if they contain what users wrote or what may grow:
 * clients refuse a result with a member that its schema does not allow.
 */

/** The argument for the id of a task. */
export const taskIdArgument = z.string().min(1).describe("Id of the task");
/** The argument for the id of a definition. */
export const workflowId = z.string().min(1).describe("Id of the workflow definition, e.g. bug-fix");

/** The state of a task. */
export const Status = z.enum(TASK_STATUSES);
/** How many tasks are in each state. */
export const Counts = z.record(Status, z.int());

/** A task in an answer. Fields that are not listed here may follow. */
export const TaskData = z.looseObject({
  id: z.string(),
  issueId: z.string(),
  workflowType: z.string(),
  currentStep: z.string(),
  priority: z.number(),
  status: Status,
  retryCount: z.int(),
  context: z.looseObject({}),
  stepRetries: z.looseObject({}),
  createdAt: z.number(),
  updatedAt: z.number(),
  waitingUntil: z.number().describe("At a wait: when it continues automatically, ms since 1970").optional(),
  version: z.int().describe("For advance_task").optional(),
});

/** Findings about a definition in an answer. */
export const FindingsData = z.array(z.looseObject({ code: z.string(), message: z.string() }));

/** The open reviews, and how to decide them. */
export const Waiting = z.looseObject({
  review: z.string(),
  title: z.string(),
  choices: z.array(z.string()),
  answer: z.enum(["not_asked", "accepted", "declined", "cancelled", "timed_out", "refused"]),
  hint: z.string(),
});

/** Names of a task's fields, for clients that read schemas. Navigator itself checks them, and names every mistake. */
export const taskInput = z.unknown().meta({
  type: "object",
  required: ["id", "issueId", "workflowType"],
  properties: {
    id: { type: "string" },
    issueId: { type: "string", description: "What it is about in the primary store" },
    workflowType: { type: "string", description: "Id of the workflow definition" },
    currentStep: { type: "string", description: "Default: the start node" },
    priority: { type: "number", description: "Bigger is more important; default 0" },
    status: { type: "string", enum: [...TASK_STATUSES], description: "Default PENDING" },
    retryCount: { type: "integer", minimum: 0 },
    context: { type: "object" },
    stepRetries: { type: "object", description: "Step id -> retries taken from it" },
    parentTaskId: { type: "string" },
    waitingUntil: { type: "number", description: "At a wait: when it continues, ms since 1970" },
    autonomy: { type: "boolean", description: "Continues through stage boundaries automatically" },
  },
});

/** The argument for a run, by its id or by a workflow id. */
export const missionId = z
  .string()
  .min(1)
  .describe("A run id, or agent/ID, task/ID, or task/ID/STEP/ATTEMPT for one run of a task");

/** A record of the journal in an answer. */
export const JournalRowData = z.looseObject({ id: z.string(), text: z.string(), at: z.number(), by: z.string() });

/** An effect of a mission in an answer. */
export const EffectData = z.looseObject({
  tool: z.string(),
  state: z.enum(["intended", "done", "refused", "failed", "unknown", "undone"]),
  args: z.looseObject({}).optional(),
  key: z.string(),
  turn: z.int(),
  undone: z
    .object({
      at: z.number(),
      undo: z.string().optional(),
      by: z.string().optional(),
      because: z.string().optional(),
    })
    .describe("When it was undone, by which undo, and who or what asked for it")
    .optional(),
  review: z.string().describe("The open review about it").optional(),
});

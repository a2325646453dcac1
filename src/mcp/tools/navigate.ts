import * as z from "zod";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { isEnd, nodeOf, startOf } from "../../core/graph/definition/schema";
import { type StepInstructions, stepInstructions } from "../../core/graph/show/instructions";
import type { Task } from "../../core/graph/task/task";
import { Waiting } from "../answers/schemas";
import { afterMove } from "../asking/elicitation";
import { openTaskFile, type TaskFile } from "../task-file";
import { type Call, CHANGE, READ, SETTLE, tool } from "../tool";

/** Start, current, next: a task step by step, as instructions in prose (graph reference, section 9.2). */

const Instructions = z.looseObject({
  currentStep: z.string(),
  instructions: z.string(),
  terminal: z.enum(["start", "success", "hitl", "failure", "join"]).nullable(),
  metadata: z.looseObject({
    workflowType: z.string(),
    currentStep: z.string(),
    retryCount: z.int(),
    userDescription: z.string().nullable(),
    stepName: z.string(),
  }),
  waitingFor: Waiting.optional(),
});

const which = {
  taskId: z.string().min(1).describe("Id of the task").optional(),
  taskFilePath: z
    .string()
    .min(1)
    .describe("Instead: the task's JSON file, read and written; ~ is the home folder")
    .optional(),
};

const init = tool({
  name: "init",
  title: "Put a workflow on a task",
  description:
    "Begins a task on a workflow, at its start or at `stepId`. A task that has a workflow already is left as it is, and its present step is answered.",
  input: z.strictObject({
    ...which,
    workflowType: z.string().min(1).describe("Id of the workflow"),
    description: z.string().describe("What the user wants").optional(),
    stepId: z.string().min(1).describe("Where to begin: any step but an end").optional(),
  }),
  data: Instructions,
  hints: SETTLE,
  errors: [
    "invalid_arguments",
    "workflow_not_found",
    "step_not_found",
    "invalid_step",
    "file_not_found",
    "invalid_task_file",
    "files_not_allowed",
  ],
  run: async ({ taskId, taskFilePath, workflowType, description, stepId }, call) => {
    const place = await placeOf({ taskId, taskFilePath }, call);
    const there = await find(place.id, call);
    if (there !== null) return told(there, place, call);
    const said = description ?? place.file?.description;
    const context: JsonObject = said === undefined ? {} : { userDescription: said };
    return told(await begin(place.id, { workflowType, stepId, context }, call), place, call);
  },
});

/** @throws NavigatorError `workflow_not_found`, `step_not_found`, `invalid_step` */
async function begin(
  id: string,
  { workflowType, stepId, context }: { workflowType: string; stepId: string | undefined; context: JsonObject },
  { desk }: Call,
): Promise<Task> {
  const { definition } = await desk.workflow(workflowType);
  if (stepId !== undefined && nodeOf(definition, stepId) === undefined)
    throw new NavigatorError("step_not_found", `Workflow "${workflowType}" has no step "${stepId}".`, {
      hint: `Steps: ${Object.keys(definition.nodes).join(", ")}`,
    });
  if (stepId !== undefined && isEnd(definition, stepId))
    throw new NavigatorError("invalid_step", `"${stepId}" is an end: a task cannot begin there.`);
  const task = { id, issueId: id, workflowType, context, ...(stepId === undefined ? {} : { currentStep: stepId }) };
  return desk.createTask(task, { drive: "external" });
}

const start = tool({
  name: "start",
  title: "Start a task",
  description:
    "Takes a task from its start to the first step and marks it as in progress. Elsewhere it answers the present step.",
  input: z.strictObject(which),
  data: Instructions,
  hints: SETTLE,
  errors: ["task_not_found"],
  run: async (given, call) => {
    const place = await placeOf(given, call);
    const [definition, task] = await Promise.all([call.desk.definitionOf(place.id), call.desk.task(place.id)]);
    const first = startOf(definition);
    if (task.currentStep !== first) return told(task, place, call);
    const moved = await call.desk.advance(place.id, { expectedStep: first });
    const asked = await afterMove(moved, call);
    return { ...(await told(await inProgress(asked.task, call), place, call)), ...waitingFor(asked) };
  },
});

/** Who starts a task works on it: the orchestrator says so, as it does with any status that no move gives. */
async function inProgress(task: Task, { desk }: Call): Promise<Task> {
  if (task.status !== "PENDING") return task;
  await desk.loadTasks([{ ...task, status: "IN_PROGRESS" }], "merge");
  return desk.task(task.id);
}

const current = tool({
  name: "current",
  title: "The present step",
  description: "What is to be done at a task's present step. Changes nothing.",
  input: z.strictObject(which),
  data: Instructions,
  hints: READ,
  errors: ["task_not_found", "workflow_not_found"],
  run: async (given, call) => {
    const { id } = await placeOf(given, call);
    return instructionsOf(await call.desk.task(id), call);
  },
});

const next = tool({
  name: "next",
  title: "On to the next step",
  description: "Says how the present step ended, moves on and answers what is to be done there.",
  input: z.strictObject({
    ...which,
    result: z.string().describe("How the step ended, e.g. passed or failed").optional(),
    output: z.unknown().describe("What the step gave; kept in the history").optional(),
    expectedStep: z.string().describe("Moves only if the task is still at this step").optional(),
    claim: z.int().describe("Token of the claim, where the task is claimed").optional(),
  }),
  data: Instructions,
  hints: CHANGE,
  errors: ["task_not_found", "no_matching_edge", "result_required"],
  run: async ({ taskId, taskFilePath, ...step }, call) => {
    const place = await placeOf({ taskId, taskFilePath }, call);
    const moved = await call.desk.advance(place.id, step as Parameters<typeof call.desk.advance>[1]);
    if (!moved.success) throw noWay(moved);
    const asked = await afterMove(moved, call);
    return { ...(await told(asked.task, place, call)), action: moved.action, ...waitingFor(asked) };
  },
});

function noWay({ action, previousStep, result, availableEdges }: Stayed): NavigatorError {
  const ways = availableEdges.map(({ on, to }) => `${on ?? "(any result)"} -> ${to}`).join(", ");
  const said = result === null ? "without a result" : `with "${result}"`;
  return new NavigatorError(action, `No edge leads on from "${previousStep}" ${said}: nothing moved.`, {
    ...(ways === "" ? {} : { hint: `Ways on: ${ways}` }),
    details: { availableEdges: availableEdges as never },
  });
}
type Stayed = Extract<Awaited<ReturnType<Call["desk"]["advance"]>>, { success: false }>;

const waitingFor = (answer: { waitingFor?: unknown }) =>
  answer.waitingFor === undefined ? {} : { waitingFor: answer.waitingFor };

interface Place {
  id: string;
  file?: TaskFile;
}

/** @throws NavigatorError `invalid_arguments`, `files_not_allowed` */
async function placeOf(
  given: { taskId?: string | undefined; taskFilePath?: string | undefined },
  call: Call,
): Promise<Place> {
  const { taskId, taskFilePath } = given;
  if ((taskId === undefined) === (taskFilePath === undefined))
    throw new NavigatorError("invalid_arguments", "Give either taskId or taskFilePath.");
  if (taskFilePath === undefined) return { id: taskId as string };
  if (!call.parts.files)
    throw new NavigatorError("files_not_allowed", "Callers over HTTP cannot name files of the server's machine.", {
      hint: "Give taskId instead.",
    });
  const file = openTaskFile(taskFilePath, call.parts.project.folder);
  return { id: file.taskId ?? (await freeId(file, call)), file };
}

/** Called as the file is, unless another file's task has that name. */
async function freeId({ name, otherName }: TaskFile, call: Call): Promise<string> {
  return (await find(name, call)) === null ? name : otherName;
}

async function find(id: string, { desk }: Call): Promise<Task | null> {
  try {
    return await desk.task(id);
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "task_not_found") return null;
    throw error;
  }
}

/** The answer, noted in the task's file where it has one. */
async function told(task: Task, { file }: Place, call: Call): Promise<StepInstructions> {
  const answer = await instructionsOf(task, call);
  file?.write(task, answer);
  return answer;
}

async function instructionsOf(task: Task, { desk }: Call): Promise<StepInstructions> {
  return stepInstructions(await desk.definitionOf(task.id), task);
}

export const NAVIGATE_TOOLS = [init, start, current, next];

import * as z from "zod";
import type { OpenReview } from "../../client/inbox";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { isEnd, nodeOf, startOf } from "../../core/graph/definition/schema";
import { type StepInstructions, stepInstructions } from "../../core/graph/show/instructions";
import type { Task } from "../../core/graph/task/task";
import { afterMove, openReviewOf } from "../client-features/elicitation";
import { movedOnce } from "../client-features/questions";
import { noteSeen, seenBySession } from "../context/known-tasks";
import { requestIdOf } from "../context/request-id";
import { sessionAgent, taskRequester } from "../context/session-agent";
import { type Call, CHANGE, READ, SETTLE, tool } from "../context/tool";
import { errorOfTask } from "../results/errors";
import { describeWaiting } from "../results/run-answer";
import { Waiting } from "../results/schemas";
import { openTaskFile, type TaskFile } from "./task-file";
import { missionsOf, parentOf, shownBranches } from "./task-surroundings";

/**
 * The shared code of the four navigation tools: which task a call names, and the instructions of its current step (graph reference,
 * section 9.2).
 */

const Instructions = z.looseObject({
  currentStep: z.string(),
  instructions: z.string(),
  terminal: z.enum(["start", "success", "hitl", "failure", "join"]).nullable(),
  version: z.int(),
  request: z.looseObject({}),
  outputs: z.looseObject({}),
  done: z.array(z.string()),
  parent: z.looseObject({ id: z.string(), currentStep: z.string(), outputs: z.looseObject({}) }).optional(),
  branches: z
    .record(z.string(), z.looseObject({ currentStep: z.string(), status: z.string(), outputs: z.looseObject({}) }))
    .describe("What each branch of a fork gave, step by step")
    .optional(),
  branchesUnread: z.string().describe("Why `branches` is left out, although there are some").optional(),
  missions: z
    .looseObject({ running: z.array(z.string()), log: z.string(), effects: z.string() })
    .describe("The work of the task's agents: their Mission Log, their effects")
    .optional(),
  missionsUnread: z.string().describe("Why `missions` is left out, although there may be some").optional(),
  metadata: z.looseObject({
    workflowType: z.string(),
    currentStep: z.string(),
    retryCount: z.int(),
    userDescription: z.string().nullable(),
    stepName: z.string(),
  }),
  waitingFor: Waiting.optional(),
  error: z.string().optional(),
});

const taskPlace = {
  taskId: z.string().min(1).describe("Id of the task").optional(),
  taskFilePath: z
    .string()
    .min(1)
    .describe("Instead: the task's JSON file, read and written; ~ is the home folder")
    .optional(),
};

const waitingForOf = (answer: { waitingFor?: unknown }) => defined({ waitingFor: answer.waitingFor });

interface Place {
  id: string;
  file?: TaskFile;
}

/** @throws NavigatorError `invalid_input`, `forbidden` */
async function placeOf(
  given: { taskId?: string | undefined; taskFilePath?: string | undefined },
  call: Call,
): Promise<Place> {
  const { taskId, taskFilePath } = given;
  if ((taskId === undefined) === (taskFilePath === undefined))
    throw new NavigatorError("invalid_input", "Give either taskId or taskFilePath.", { details: { path: "taskId" } });
  if (taskFilePath === undefined) return { id: taskId as string };
  if (!call.serverContext.files)
    throw new NavigatorError("forbidden", "Callers over HTTP cannot name files of the server's machine.", {
      hint: "Give taskId instead.",
    });
  const file = openTaskFile(taskFilePath, call.serverContext.project.folder);
  return { id: file.taskId ?? (await freeId(file, call)), file };
}

/** Named like the file, unless another file's task has that name. */
async function freeId({ name, otherName }: TaskFile, call: Call): Promise<string> {
  return (await findTask(name, call)) === null ? name : otherName;
}

async function findTask(id: string, { taskService }: Call): Promise<Task | null> {
  try {
    return await taskService.task(id);
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "task_not_found") return null;
    throw error;
  }
}

/** The answer, which is also written to the task's file if it has one. */
async function writeInstructions(task: Task, { file }: Place, call: Call): Promise<StepInstructions> {
  const answer = await instructionsOf(task, call);
  file?.write(task, answer);
  return answer;
}

async function instructionsOf(task: Task, call: Call): Promise<StepInstructions> {
  const { taskService, serverContext } = call;
  const [definition, parent, branches, missions] = await Promise.all([
    taskService.definitionOf(task.id),
    parentOf(task, call),
    shownBranches(task, call),
    missionsOf(task, call),
  ]);
  const shown = stepInstructions(definition, task);
  // The small set of tools has `next` alone, which takes the same arguments.
  const instructions =
    serverContext.tools === "core"
      ? shown.instructions.replaceAll("advance_task with taskId", "next with taskId")
      : shown.instructions;
  noteSeen(shown, task.id, call);
  return { ...shown, instructions, ...defined({ parent }), ...branches, ...missions, ...errorOfTask(task) };
}

export const initTool = tool({
  name: "init",
  title: "Give a task a workflow",
  description:
    "Begins a task on a workflow, at its start or at `stepId`. For a task with a workflow: only answers its current step.",
  input: z.strictObject({
    ...taskPlace,
    workflowType: z.string().min(1).describe("Id of the workflow"),
    description: z.string().describe("What the user wants").optional(),
    stepId: z.string().min(1).describe("First step; not an end").optional(),
  }),
  data: Instructions,
  scope: "start",
  hints: SETTLE,
  errors: ["invalid_input", "workflow_not_found", "step_not_found", "not_found", "forbidden"],
  run: async ({ taskId, taskFilePath, workflowType, description, stepId }, call) => {
    const place = await placeOf({ taskId, taskFilePath }, call);
    const there = await findTask(place.id, call);
    if (there !== null) return writeInstructions(there, place, call);
    const userDescription = description ?? place.file?.description;
    const context: JsonObject = defined({ userDescription });
    return writeInstructions(await begin(place.id, { workflowType, stepId, context }, call), place, call);
  },
});

/** @throws NavigatorError `workflow_not_found`, `step_not_found`, `invalid_input` */
async function begin(
  id: string,
  { workflowType, stepId, context }: { workflowType: string; stepId: string | undefined; context: JsonObject },
  { taskService, extra, serverContext }: Call,
): Promise<Task> {
  const { definition } = await taskService.workflow(workflowType);
  if (stepId !== undefined && nodeOf(definition, stepId) === undefined)
    throw new NavigatorError("step_not_found", `Workflow "${workflowType}" has no step "${stepId}".`, {
      hint: `Steps: ${Object.keys(definition.nodes).join(", ")}`,
    });
  if (stepId !== undefined && isEnd(definition, stepId))
    throw new NavigatorError("invalid_input", `"${stepId}" is an end: a task cannot begin there.`, {
      hint: "Name a node that is not an end.",
      details: { path: "stepId" },
    });
  const task = { id, issueId: id, workflowType, context, ...defined({ currentStep: stepId }) };
  return taskService.createTask(task, { drive: "external", ...taskRequester({ extra, serverContext }) });
}

export const startTool = tool({
  name: "start",
  title: "Start a task",
  description: "Moves a task from its start to the first step. Elsewhere it answers the current step.",
  input: z.strictObject(taskPlace),
  data: Instructions,
  scope: "start",
  hints: SETTLE,
  errors: ["task_not_found"],
  run: async (given, call) => {
    const place = await placeOf(given, call);
    const [definition, task] = await Promise.all([
      call.taskService.definitionOf(place.id),
      call.taskService.task(place.id),
    ]);
    const first = startOf(definition);
    if (task.currentStep !== first && call.resumed?.move === undefined) return writeInstructions(task, place, call);
    const step = { expectedStep: first, by: sessionAgent(call) };
    const moved = await movedOnce(place.id, call, () => call.taskService.advance(place.id, step));
    const asked = await afterMove(moved, call);
    return { ...(await writeInstructions(await inProgress(asked.task, call), place, call)), ...waitingForOf(asked) };
  },
});

/** The caller who starts a task works on it: the orchestrator sets this status, like any status that no move gives. */
async function inProgress(task: Task, call: Call): Promise<Task> {
  if (task.status !== "PENDING") return task;
  const { taskService } = call;
  await taskService.loadTasks([{ ...task, status: "IN_PROGRESS" }], "merge", { by: sessionAgent(call) });
  return taskService.task(task.id);
}

/** A task that has ended has none. */
const openReview = (task: Task, call: Call): Promise<OpenReview | undefined> =>
  isOver(task) ? Promise.resolve(undefined) : openReviewOf(task, call);

const isOver = ({ status }: Task) => status === "COMPLETED" || status === "FAILED";

export const currentTool = tool({
  name: "current",
  title: "The present step",
  description:
    "A task's subject, its history, and the instructions of its current step. Enough to continue after a restart.",
  input: z.strictObject(taskPlace),
  data: Instructions,
  hints: READ,
  errors: ["task_not_found", "workflow_not_found"],
  run: async (given, call) => {
    const { id } = await placeOf(given, call);
    const task = await call.taskService.task(id);
    const [stepView, open] = await Promise.all([instructionsOf(task, call), openReview(task, call)]);
    return {
      ...stepView,
      ...defined({ waitingFor: open && describeWaiting(open.review, "not_asked", call.serverContext.tools) }),
    };
  },
});

export const nextTool = tool({
  name: "next",
  title: "On to the next step",
  description: "Reports the result of the current step, moves the task, and answers the instructions of the next one.",
  input: z.strictObject({
    ...taskPlace,
    result: z.string().describe("E.g. passed or failed").optional(),
    output: z.unknown().describe("Output of the step, kept in the history").optional(),
    expectedStep: z.string().describe("Moves only from this step").optional(),
    version: z.int().describe("Version of the task in the last answer").optional(),
    claim: z.string().describe("Token of the claim, if the task is claimed").optional(),
  }),
  data: Instructions,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "stale_version",
    "version_required",
    "no_matching_edge",
    "result_required",
    "agents_may_not_decide",
  ],
  run: async ({ taskId, taskFilePath, ...step }, call) => {
    const place = await placeOf({ taskId, taskFilePath }, call);
    const request = requestIdOf(call.extra, { id: place.id, ...step });
    const given = { ...step, by: sessionAgent(call), ...seenBySession(place.id, call) } as Parameters<
      typeof call.taskService.advance
    >[1];
    const moved = await movedOnce(place.id, call, () => call.taskService.advance(place.id, given, request));
    if (!moved.success) throw noMatchingEdge(moved);
    const asked = await afterMove(moved, call);
    return { ...(await writeInstructions(asked.task, place, call)), action: moved.action, ...waitingForOf(asked) };
  },
});

function noMatchingEdge({ action, previousStep, result, availableEdges }: Stayed): NavigatorError {
  const ways = availableEdges.map(({ on, to }) => `${on ?? "(any result)"} -> ${to}`).join(", ");
  const outcome = result === null ? "without a result" : `with "${result}"`;
  return new NavigatorError(action, `No edge leads on from "${previousStep}" ${outcome}: nothing moved.`, {
    ...(ways === "" ? {} : { hint: `Ways on: ${ways}` }),
    details: { availableEdges: availableEdges as never },
  });
}
type Stayed = Extract<Awaited<ReturnType<Call["taskService"]["advance"]>>, { success: false }>;

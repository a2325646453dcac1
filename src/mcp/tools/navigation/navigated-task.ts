import * as z from "zod";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { type StepInstructions, stepInstructions } from "../../../core/graph/show/instructions";
import type { Task } from "../../../core/graph/task/task";
import { noteKnown } from "../../context/known-tasks";
import type { Call } from "../../context/tool";
import { Waiting } from "../../results/schemas";
import { errorOfTask } from "../../results/task-error";
import { openTaskFile, type TaskFile } from "./task-file";
import { missionsOf, parentOf, toldBranches } from "./task-surroundings";

/**
 * The shared code of the four navigation tools: which task is meant, and the instructions of its current step (graph
 * reference, section 9.2).
 */

export const Instructions = z.looseObject({
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
    .describe("What the agents of the task did: their Mission Log, their effects")
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

export const taskPlace = {
  taskId: z.string().min(1).describe("Id of the task").optional(),
  taskFilePath: z
    .string()
    .min(1)
    .describe("Instead: the task's JSON file, read and written; ~ is the home folder")
    .optional(),
};

export const waitingForOf = (answer: { waitingFor?: unknown }) => defined({ waitingFor: answer.waitingFor });

interface Place {
  id: string;
  file?: TaskFile;
}

/** @throws NavigatorError `invalid_input`, `forbidden` */
export async function placeOf(
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

export async function findTask(id: string, { taskService }: Call): Promise<Task | null> {
  try {
    return await taskService.task(id);
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "task_not_found") return null;
    throw error;
  }
}

/** The answer, which is also written to the task's file if it has one. */
export async function writeInstructions(task: Task, { file }: Place, call: Call): Promise<StepInstructions> {
  const answer = await instructionsOf(task, call);
  file?.write(task, answer);
  return answer;
}

export async function instructionsOf(task: Task, call: Call): Promise<StepInstructions> {
  const { taskService, serverContext } = call;
  const [definition, parent, branches, missions] = await Promise.all([
    taskService.definitionOf(task.id),
    parentOf(task, call),
    toldBranches(task, call),
    missionsOf(task, call),
  ]);
  const said = stepInstructions(definition, task);
  // The small set of tools has `next` alone, which takes the same arguments.
  const instructions =
    serverContext.tools === "core"
      ? said.instructions.replaceAll("advance_task with taskId", "next with taskId")
      : said.instructions;
  noteKnown(task.id, call);
  return { ...said, instructions, ...defined({ parent }), ...branches, ...missions, ...errorOfTask(task) };
}

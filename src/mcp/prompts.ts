import { completable, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ServerContext } from "./context/server-context";

/** Workflows for people to choose in a client. */
export function registerPrompts(server: McpServer, serverContext: ServerContext): void {
  server.registerPrompt(
    "work-the-queue",
    {
      title: "Work the queue",
      description:
        "Take the next task, do its step, report how it ended, persist and confirm; again until none is left",
      argsSchema: z.object({
        owner: z.string().describe("Your name, where several work on one queue").optional(),
        limit: z.string().regex(/^\d+$/, "must be a whole number").describe("How many steps at most").optional(),
      }),
    },
    ({ owner, limit }) => promptOf(workTheQueue(owner, limit, serverContext.primaryStore)),
  );
  server.registerPrompt(
    "resume",
    {
      title: "Resume a task that waits for a person",
      description: "Look at what was tried, decide with the person, and take the task back to work",
      argsSchema: z.object({
        taskId: completable(z.string().describe("Id of the task"), (typed) => waitingIds(serverContext, typed)),
      }),
    },
    ({ taskId }) => promptOf(resume(taskId, serverContext.primaryStore)),
  );
  // The SDK looks a client's name up in a plain object, where it would find what every object has: `constructor`.
  Object.setPrototypeOf((server as unknown as { _registeredPrompts: object })._registeredPrompts, null);
}

const promptOf = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
});

function workTheQueue(owner: string | undefined, limit: string | undefined, store: string | undefined): string {
  const take =
    owner === undefined
      ? "Call get_next_tasks_from_tree for the next task."
      : `Call claim_next_tasks with owner "${owner}"; keep the token and give it to advance_task as \`claim\`.`;
  return [
    "Work through the task queue, one step at a time.",
    `1. ${take} Stop when there is none.`,
    "2. Call `current` with its id and follow the instructions. Read the context files first. Do nothing that the step does not ask for.",
    "3. Call advance_task with the result, what the step gave as `output`, and the `version` that you saw.",
    store === undefined
      ? "4. Report to the user what moved."
      : `4. Write the task as it is answered to the primary store (${store}), then confirm what \`_sync_reminder\` lists with confirm_sync.`,
    "5. If the answer is a person's turn (status HITL, or `waitingFor`), leave that task and report it. With `waitingUntil` it waits for a time: leave it, it continues automatically.",
    limit === undefined ? "Begin again with 1." : `Begin again with 1, for ${limit} steps at most.`,
  ].join("\n");
}

function resume(taskId: string, store: string | undefined): string {
  return [
    `Task "${taskId}" waits for a person.`,
    "1. Call get_task and get_task_progress: what was tried, how often, and what each try gave.",
    `2. Call list_reviews with taskId "${taskId}" for what is asked and the choices.`,
    "3. Explain to the person in a few sentences what happened and what each choice does. Decide nothing yourself.",
    "4. Call decide_review with the review's id alone: it asks the person in a dialog. If it answers that this cannot be a decision, give the person the command: navigator review decide ID CHOICE. Without a review, call advance_task with the result passed and the task's version.",
    ...(store === undefined ? [] : ["5. Persist the task and confirm its syncs."]),
  ].join("\n");
}

async function waitingIds(serverContext: ServerContext, typed: string): Promise<string[]> {
  try {
    const { taskService } = await serverContext.backend();
    const { tasks } = await taskService.tasksByStatus("HITL");
    return (tasks.HITL ?? []).map(({ id }) => id).filter((id) => id.startsWith(typed));
  } catch {
    return []; // suggestions are a convenience
  }
}

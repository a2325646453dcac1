import * as z from "zod";
import { startOf } from "../../../core/graph/definition/schema";
import type { Task } from "../../../core/graph/task/task";
import { afterMove } from "../../client-features/elicitation";
import { movedOnce } from "../../client-features/questions";
import { sessionAgent } from "../../context/session-agent";
import { type Call, SETTLE, tool } from "../../context/tool";
import { Instructions, placeOf, taskPlace, waitingForOf, writeInstructions } from "./navigated-task";

export const startTool = tool({
  name: "start",
  title: "Start a task",
  description: "Moves a task from its start to the first step. Elsewhere it answers the current step.",
  input: z.strictObject(taskPlace),
  data: Instructions,
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

import * as z from "zod";
import { READ, tool } from "../../context/tool";
import { Instructions, instructionsOf, placeOf, taskPlace } from "./navigated-task";

export const currentTool = tool({
  name: "current",
  title: "The present step",
  description: "What is to be done at a task's present step. Changes nothing.",
  input: z.strictObject(taskPlace),
  data: Instructions,
  hints: READ,
  errors: ["task_not_found", "workflow_not_found"],
  run: async (given, call) => {
    const { id } = await placeOf(given, call);
    return instructionsOf(await call.taskService.task(id), call);
  },
});

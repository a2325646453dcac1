import * as z from "zod";
import { TASK_STATUSES } from "../../../core/graph/task/task-schema";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { Counts, Status, TaskData } from "../../results/schemas";

export const getTasksByStatusTool = tool({
  name: "get_tasks_by_status",
  title: "Tasks by status",
  description: "Counts tasks by status and lists them, of one status or of all.",
  input: z.strictObject({ status: z.enum(TASK_STATUSES).describe("Only tasks of this status").optional() }),
  data: z.object({
    counts: Counts,
    unconfirmed: z.array(z.string()).describe("Ids of tasks whose worker does not answer").optional(),
    tasks: z.partialRecord(Status, z.array(TaskData)),
  }),
  hints: READ,
  limit_ms: LONGEST_CALL_MS,
  run: ({ status }, { taskService }) => taskService.tasksByStatus(status),
});

import * as z from "zod";
import { READ, tool } from "../../context/tool";
import { TaskData } from "../../results/schemas";

export const getNextTasksFromTreeTool = tool({
  name: "get_next_tasks_from_tree",
  title: "Next tasks",
  description:
    "The most important PENDING tasks, by priority, then by order of loading. Several orchestrators use claim_next_tasks.",
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(1).describe("How many at most"),
  }),
  data: z.object({ count: z.int(), tasks: z.array(TaskData), unconfirmed: z.array(z.string()).optional() }),
  hints: READ,
  run: async ({ limit }, { taskService }) => {
    const unconfirmed: string[] = [];
    const tasks = await taskService.nextTasks(limit, unconfirmed);
    return { count: tasks.length, tasks, ...(unconfirmed.length === 0 ? {} : { unconfirmed }) };
  },
});

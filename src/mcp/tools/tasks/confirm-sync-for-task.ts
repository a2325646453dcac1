import * as z from "zod";
import { SETTLE, tool } from "../../context/tool";
import { taskIdArgument } from "../../results/schemas";

export const confirmSyncForTaskTool = tool({
  name: "confirm_sync_for_task",
  title: "Confirm the syncs of a task",
  description: "Confirms that the primary store has all moves of one task.",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.object({ taskId: z.string(), confirmed: z.array(z.string()), remaining: z.int() }),
  hints: SETTLE,
  run: ({ taskId: id }, { taskService }) => taskService.confirmSyncsOfTask(id),
});

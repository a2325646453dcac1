import * as z from "zod";
import { READ, SETTLE, tool } from "../context/tool";
import { taskIdArgument } from "../results/schemas";

export const getPendingSyncsTool = tool({
  name: "get_pending_syncs",
  title: "Pending syncs",
  description: "Lists unconfirmed moves, oldest first.",
  input: z.strictObject({}),
  data: z.object({
    count: z.int(),
    pending: z.array(z.looseObject({ id: z.string(), taskId: z.string(), issueId: z.string(), kind: z.string() })),
  }),
  hints: READ,
  reminder: false,
  run: async (_, { taskService }) => {
    const { total, pending } = await taskService.pendingSyncs();
    return { count: total, pending };
  },
});

export const confirmSyncTool = tool({
  name: "confirm_sync",
  title: "Confirm syncs",
  description: "Confirms that the primary store has these moves. Safe to repeat; reports unknown ids.",
  input: z.strictObject({
    syncIds: z.array(z.string()).min(1).describe("Ids of the records, from `_sync_reminder` or get_pending_syncs"),
  }),
  data: z.object({ confirmed: z.array(z.string()), notFound: z.array(z.string()), remaining: z.int() }),
  hints: SETTLE,
  run: ({ syncIds }, { taskService }) => taskService.confirmSyncs(syncIds),
});

export const confirmSyncForTaskTool = tool({
  name: "confirm_sync_for_task",
  title: "Confirm the syncs of a task",
  description: "Confirms that the primary store has all moves of one task.",
  input: z.strictObject({ taskId: taskIdArgument }),
  data: z.object({ taskId: z.string(), confirmed: z.array(z.string()), remaining: z.int() }),
  hints: SETTLE,
  run: ({ taskId: id }, { taskService }) => taskService.confirmSyncsOfTask(id),
});

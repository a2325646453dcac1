import * as z from "zod";
import { READ, tool } from "../../context/tool";

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

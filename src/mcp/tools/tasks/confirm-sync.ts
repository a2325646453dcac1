import * as z from "zod";
import { SETTLE, tool } from "../../context/tool";

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

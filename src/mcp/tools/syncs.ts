import * as z from "zod";
import { taskId } from "../answers/schemas";
import { READ, SETTLE, tool } from "../tool";

/** What the orchestrator's own store has not confirmed yet (graph reference, section 7). */

const getPendingSyncs = tool({
  name: "get_pending_syncs",
  title: "Pending syncs",
  description: "Every move that the primary store has not confirmed yet, oldest first.",
  input: z.strictObject({}),
  data: z.object({
    count: z.int(),
    pending: z.array(z.looseObject({ id: z.string(), taskId: z.string(), issueId: z.string(), kind: z.string() })),
  }),
  hints: READ,
  reminder: false,
  run: async (_, { desk }) => {
    const { total, pending } = await desk.pendingSyncs();
    return { count: total, pending };
  },
});

const confirmSync = tool({
  name: "confirm_sync",
  title: "Confirm syncs",
  description: "Says that the primary store holds these moves now. Harmless when repeated; unknown ids are reported.",
  input: z.strictObject({
    syncIds: z.array(z.string()).min(1).describe("Ids of the records, from `_sync_reminder` or get_pending_syncs"),
  }),
  data: z.object({ confirmed: z.array(z.string()), notFound: z.array(z.string()), remaining: z.int() }),
  hints: SETTLE,
  run: ({ syncIds }, { desk }) => desk.confirmSyncs(syncIds),
});

const confirmSyncForTask = tool({
  name: "confirm_sync_for_task",
  title: "Confirm the syncs of a task",
  description: "Says that the primary store holds all moves of one task now.",
  input: z.strictObject({ taskId }),
  data: z.object({ taskId: z.string(), confirmed: z.array(z.string()), remaining: z.int() }),
  hints: SETTLE,
  run: ({ taskId: id }, { desk }) => desk.confirmSyncsOfTask(id),
});

export const SYNC_TOOLS = [getPendingSyncs, confirmSync, confirmSyncForTask];

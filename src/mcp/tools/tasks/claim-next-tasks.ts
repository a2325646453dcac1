import * as z from "zod";
import { CHANGE, LONGEST_CALL_MS, tool } from "../../context/tool";
import { ClaimData, leaseSeconds, owner } from "./task-arguments";

export const claimNextTasksTool = tool({
  name: "claim_next_tasks",
  title: "Claim the next tasks",
  description: "Claims the most important free tasks, at most `limit`.",
  input: z.strictObject({
    owner,
    limit: z.int().min(1).max(100).default(1).describe("How many at most"),
    leaseSeconds,
  }),
  data: z.object({ count: z.int(), claimed: z.array(ClaimData) }),
  hints: CHANGE,
  limit_ms: LONGEST_CALL_MS,
  errors: ["invalid_input"],
  run: async ({ owner: who, limit, leaseSeconds: lease }, { taskService }) => {
    const claimed = await taskService.claimNext(limit, { owner: who, leaseMs: lease * 1000 });
    return { count: claimed.length, claimed };
  },
});

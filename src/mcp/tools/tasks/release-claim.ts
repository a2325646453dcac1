import * as z from "zod";
import { CHANGE, tool } from "../../context/tool";
import { TaskData, taskIdArgument } from "../../results/schemas";

export const releaseClaimTool = tool({
  name: "release_claim",
  title: "Release a claim",
  description: "Releases a claim before its lease ends.",
  input: z.strictObject({ taskId: taskIdArgument, token: z.string().describe("Of the claim") }),
  data: z.object({ task: TaskData }),
  hints: CHANGE,
  errors: ["task_not_found", "claim_lost"],
  run: async ({ taskId: id, token }, { taskService }) => ({ task: await taskService.release(id, token) }),
});

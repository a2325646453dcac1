import * as z from "zod";
import { defined } from "../../../core/base/defined";
import { CHANGE, tool } from "../../context/tool";
import { taskIdArgument } from "../../results/schemas";
import { ClaimData, leaseSeconds, owner } from "./task-arguments";

export const claimTaskTool = tool({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Claims a task, or renews the claim with its token. advance_task then needs the token (`claim`). The token of an expired claim is refused.",
  input: z.strictObject({
    taskId: taskIdArgument,
    owner,
    leaseSeconds,
    token: z.string().describe("Of the claim to renew").optional(),
  }),
  data: ClaimData,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "task_claimed",
    "claim_lost",
    "task_closed",
    "task_paused",
    "task_in_hitl",
    "child_active",
    "task_waiting",
    "invalid_input",
  ],
  run: ({ taskId: id, owner: who, leaseSeconds: lease, token }, { taskService }) =>
    taskService.claim(id, { owner: who, leaseMs: lease * 1000, ...defined({ token }) }),
});

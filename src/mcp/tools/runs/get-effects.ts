import * as z from "zod";
import { agentWorkflowId } from "../../../core/base/ids";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { effectsAnswer } from "../../results/effects";
import { askWorkflow } from "../../results/missing-workflow";
import { EffectData, missionId } from "../../results/schemas";

export const getEffectsTool = tool({
  name: "get_effects",
  title: "Effects of a mission",
  description:
    "The effects of a mission or task: each once, with its state (done, refused, failed, unknown, undone) and its key. Unknown ones come first.",
  input: z.strictObject({ id: missionId }),
  data: z.object({
    workflowId: z.string(),
    summary: z.string(),
    effects: z.array(EffectData),
    leftOut: z.int().optional(),
    error: z.string().optional(),
  }),
  hints: READ,
  view: "mission",
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const workflowId = agentWorkflowId(given);
    return askWorkflow(workflowId, () => effectsAnswer(client, workflowId));
  },
});

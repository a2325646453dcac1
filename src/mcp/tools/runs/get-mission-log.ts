import * as z from "zod";
import { missionTree } from "../../../client/mission-tree";
import { agentWorkflowId } from "../../../core/base/ids";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { askWorkflow } from "../../results/missing-workflow";
import { errorOfTree, logText } from "../../results/mission-log";
import { missionId } from "../../results/schemas";

export const getMissionLogTool = tool({
  name: "get_mission_log",
  title: "Mission Log",
  description: "The Mission Log of a mission, or of every run of a task, as text.",
  input: z.strictObject({ id: missionId }),
  data: z.object({ workflowId: z.string(), missionLog: z.string(), error: z.string().optional() }),
  hints: READ,
  view: "mission",
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const workflowId = agentWorkflowId(given);
    const tree = await askWorkflow(workflowId, () => missionTree(client, workflowId));
    return { workflowId, missionLog: logText(tree), ...errorOfTree(tree) };
  },
});

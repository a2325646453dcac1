import * as z from "zod";
import { flatten, missionTree } from "../../../client/mission-tree";
import { agentWorkflowId } from "../../../core/base/ids";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { askWorkflow } from "../../results/missing-workflow";
import { errorOfTree } from "../../results/mission-log";
import { JournalRowData, missionId } from "../../results/schemas";

export const getJournalTool = tool({
  name: "get_journal",
  title: "Journal of a mission",
  description: "The records of a mission in order, from its history. A task has those of its agent runs (`runs`).",
  input: z.strictObject({ id: missionId }),
  data: z.object({
    workflowId: z.string(),
    rows: z.array(JournalRowData),
    runs: z.array(z.object({ workflowId: z.string(), rows: z.array(JournalRowData) })),
    error: z.string().optional(),
  }),
  hints: READ,
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const at = agentWorkflowId(given);
    const tree = await askWorkflow(at, () => missionTree(client, at));
    const [own, ...runs] = flatten(tree).map(({ workflow_id, projection }) => ({
      workflowId: workflow_id,
      rows: projection.rows,
    }));
    return { ...own, runs, ...errorOfTree(tree) };
  },
});

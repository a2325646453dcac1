import * as z from "zod";
import { READ, tool } from "../../context/tool";
import { workflowId } from "../../results/schemas";

export const getExecutionPlanTool = tool({
  name: "get_execution_plan",
  title: "Execution plan of a workflow",
  description: "The steps of a workflow by level: the longest distance from the start, without `backEdges`.",
  input: z.strictObject({ workflowId }),
  data: z.object({
    workflowId: z.string(),
    levels: z.array(z.array(z.string())),
    levelCount: z.int(),
    stepCount: z.int(),
    backEdges: z.array(z.looseObject({ from: z.string(), to: z.string(), kind: z.string() })),
  }),
  hints: READ,
  errors: ["workflow_not_found"],
  run: ({ workflowId: id }, { taskService }) => taskService.executionPlan(id),
});

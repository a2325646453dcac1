import * as z from "zod";
import { NavigatorError } from "../../../core/base/navigator-error";
import { renderDiagram } from "../../../core/graph/show/diagram";
import { READ, tool } from "../../context/tool";
import { workflowId } from "../../results/schemas";

export const getDiagramTool = tool({
  name: "get_diagram",
  title: "Diagram of a workflow",
  description:
    "A workflow as a Mermaid flowchart with a table of its steps (Markdown). `currentStep` or the step of `taskId` is marked.",
  input: z.strictObject({
    workflowId: workflowId.optional(),
    currentStep: z.string().describe("Step to mark").optional(),
    taskId: z.string().describe("Task to draw").optional(),
  }),
  data: z.object({ workflowId: z.string(), diagram: z.string() }),
  hints: READ,
  errors: ["workflow_not_found", "task_not_found", "invalid_input"],
  run: async ({ workflowId: id, currentStep, taskId }, { taskService }) => {
    if (taskId !== undefined) {
      const [definition, task] = await Promise.all([taskService.definitionOf(taskId), taskService.task(taskId)]);
      return { workflowId: definition.id, diagram: renderDiagram(definition, task.currentStep) };
    }
    if (id === undefined)
      throw new NavigatorError("invalid_input", "Give workflowId or taskId.", { details: { path: "workflowId" } });
    const { definition } = await taskService.workflow(id);
    return { workflowId: definition.id, diagram: renderDiagram(definition, currentStep) };
  },
});

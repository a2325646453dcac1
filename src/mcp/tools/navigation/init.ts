import * as z from "zod";
import { defined } from "../../../core/base/defined";
import type { JsonObject } from "../../../core/base/json";
import { NavigatorError } from "../../../core/base/navigator-error";
import { isEnd, nodeOf } from "../../../core/graph/definition/schema";
import type { Task } from "../../../core/graph/task/task";
import { taskRequester } from "../../context/session-agent";
import { type Call, SETTLE, tool } from "../../context/tool";
import { findTask, Instructions, placeOf, taskPlace, writeInstructions } from "./navigated-task";

export const initTool = tool({
  name: "init",
  title: "Put a workflow on a task",
  description:
    "Begins a task on a workflow, at its start or at `stepId`. For a task with a workflow: only answers its current step.",
  input: z.strictObject({
    ...taskPlace,
    workflowType: z.string().min(1).describe("Id of the workflow"),
    description: z.string().describe("What the user wants").optional(),
    stepId: z.string().min(1).describe("First step; not an end").optional(),
  }),
  data: Instructions,
  hints: SETTLE,
  errors: ["invalid_input", "workflow_not_found", "step_not_found", "not_found", "forbidden"],
  run: async ({ taskId, taskFilePath, workflowType, description, stepId }, call) => {
    const place = await placeOf({ taskId, taskFilePath }, call);
    const there = await findTask(place.id, call);
    if (there !== null) return writeInstructions(there, place, call);
    const said = description ?? place.file?.description;
    const context: JsonObject = defined({ userDescription: said });
    return writeInstructions(await begin(place.id, { workflowType, stepId, context }, call), place, call);
  },
});

/** @throws NavigatorError `workflow_not_found`, `step_not_found`, `invalid_input` */
async function begin(
  id: string,
  { workflowType, stepId, context }: { workflowType: string; stepId: string | undefined; context: JsonObject },
  { taskService, extra, serverContext }: Call,
): Promise<Task> {
  const { definition } = await taskService.workflow(workflowType);
  if (stepId !== undefined && nodeOf(definition, stepId) === undefined)
    throw new NavigatorError("step_not_found", `Workflow "${workflowType}" has no step "${stepId}".`, {
      hint: `Steps: ${Object.keys(definition.nodes).join(", ")}`,
    });
  if (stepId !== undefined && isEnd(definition, stepId))
    throw new NavigatorError("invalid_input", `"${stepId}" is an end: a task cannot begin there.`, {
      hint: "Name a node that is not an end.",
      details: { path: "stepId" },
    });
  const task = { id, issueId: id, workflowType, context, ...defined({ currentStep: stepId }) };
  return taskService.createTask(task, { drive: "external", ...taskRequester({ extra, serverContext }) });
}

import * as z from "zod";
import type { WorkflowListing } from "../../../client/tasks/types";
import { READ, tool } from "../../context/tool";

const Source = z.enum(["catalog", "project", "external"]);

export const listWorkflowsTool = tool({
  name: "list_workflows",
  title: "List workflows",
  description:
    "Lists loaded workflow definitions with their source. Without `source`: the project's own if there are any (`leftOut` counts the others), else all.",
  input: z.strictObject({ source: Source.describe("Where a definition came from").optional() }),
  data: z.object({
    count: z.int(),
    workflows: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        stepCount: z.int(),
        source: Source,
      }),
    ),
    leftOut: z.int().optional(),
  }),
  hints: READ,
  run: async ({ source }, { taskService }) => {
    const all = await taskService.listWorkflows(source);
    const offered = source === undefined ? ownFirst(all) : all;
    const leftOut = all.length - offered.length;
    const workflows = offered.map(({ id, name, description, stepCount, source: from }) => ({
      id,
      name,
      description,
      stepCount,
      source: from,
    }));
    return { count: workflows.length, workflows, ...(leftOut === 0 ? {} : { leftOut }) };
  },
});

/** A project's own definitions, if it has any: the catalog's are then left out (graph reference, section 9.7). */
export function ownFirst(all: readonly WorkflowListing[]): readonly WorkflowListing[] {
  const own = all.filter(({ source }) => source === "project");
  return own.length === 0 ? all : own;
}

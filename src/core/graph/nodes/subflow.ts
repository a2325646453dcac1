import { z } from "zod";
import { branchIdProblem } from "../../base/input/id-rule";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { shortestPath } from "../../base/ordering";
import { contextValue } from "./context-value";
import type { GraphFindings } from "./findings";
import type { Graph } from "./graph";
import type { CheckedNode, NodeKind } from "./node-kind";
import { advanceCall, PASSED_OR_FAILED, unlessOver, workOfOthers } from "./prose";
import { parts } from "./schema-parts";

/** Another workflow, run as a separate task (graph reference, section 9.3). */

const schema = onFirstUse(() => {
  const { common, full, mapOfTexts } = parts();
  return z.object({ type: z.literal("subflow"), ...common, workflow: full, inputs: mapOfTexts.optional() });
});
/** A node that runs another definition (graph reference, section 9.3). */
export type SubflowNode = z.infer<ReturnType<typeof schema>>;

export const subflow: NodeKind<SubflowNode> = {
  schema,
  codes: { workflow: "workflow_required" },
  place: "step",
  edges: "result",
  work: false,
  outputs: () => undefined,
  exit: (_node, id) => id,
  check: checkWorkflow,
  begins: "subflow",
  arrival: () => ({ status: "IN_PROGRESS" }),
  details: (node) => {
    const inputs = Object.entries(node.inputs ?? {}).map(([name, from]) => `- ${name}: ${from}`);
    return [[`Runs the workflow ${node.workflow}${inputs.length > 0 ? " with" : "."}`, ...inputs].join("\n")];
  },
  call: (node, { task }) =>
    unlessOver(task, () =>
      task.blockedBy === undefined
        ? workOfOthers(task, [task.currentStep])
        : `The workflow ${node.workflow} is not loaded. Without it, call ${advanceCall(task, PASSED_OR_FAILED)}.`,
    ),
  terminal: () => null,
  drawing: {
    shape: (_node, label) => `["${label}"]`,
    color: () => null,
    caption: () => [],
    about: ({ workflow }) => workflow,
    sign: "▶",
  },
};

/**
 * Subflows must not lead back to their own workflow. Only loaded definitions are checked: they may be loaded in any
 * order, so a missing one is a warning, and only if the loaded ones are known.
 */
function checkWorkflow({ nodeId, node, id, loaded }: CheckedNode, findings: GraphFindings): void {
  const problem = branchIdProblem(nodeId);
  if (problem !== undefined)
    findings.error("invalid_node_id", `Subflow "${nodeId}" needs another id: ${problem}.`, { nodeId });
  const { workflow } = node.read as Partial<SubflowNode>;
  if (workflow === undefined) return;
  const path = shortestPath(workflow, id, (other) => {
    const definition = loaded?.get(other);
    return definition ? subflowsOf(definition) : [];
  });
  if (path)
    findings.error(
      "subflow_cycle",
      `Subflow "${nodeId}" leads back to its own workflow: ${[id, ...path].join(" -> ")}. Remove one of the subflows.`,
      { nodeId },
    );
  else if (loaded && !loaded.has(workflow))
    findings.warn("subflow_not_loaded", `Subflow "${nodeId}" runs workflow "${workflow}", which is not loaded yet.`, {
      nodeId,
    });
}

/** The ids of the definitions that a definition runs as subflows, each once. */
export function subflowsOf({ nodes }: Graph): string[] {
  const named = Object.values(nodes).flatMap((node) =>
    node.type === "subflow" ? [(node as SubflowNode).workflow] : [],
  );
  return [...new Set(named)];
}

/**
 * The deepest nesting of subflows. More is taken for definitions that start each other (graph reference, section 9.3).
 */
export const MAX_SUBFLOW_DEPTH = 8;

/**
 * The context of a subflow's task: each input is looked up in the parent's (`context.x.y`). Any other text is used
 * unchanged. A path that leads nowhere gives null.
 */
export function subflowContext(inputs: { [name: string]: string } | undefined, context: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputs ?? {}).map(([name, text]) => [name, contextValue(text, context)]));
}

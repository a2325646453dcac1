import { z } from "zod";
import { branchIdProblem } from "../../base/input/id-rule";
import { isObject } from "../../base/is-object";
import { onFirstUse } from "../../base/on-first-use";
import { edgeText, type GraphFindings } from "./findings";
import { checkPair, pairDrawing } from "./fork-pair";
import { edgesFrom, type Graph, nodeName, nodeOf } from "./graph";
import type { JoinNode } from "./join";
import type { CheckedNode, NodeKind } from "./node-kind";
import { advanceCall, PASSED_OR_FAILED, unlessOver, workOfOthers } from "./prose";
import { parts } from "./schema-parts";

/** Parallel branches: each outgoing edge is one, and a separate task runs it (graph reference, section 9.1). */

const schema = onFirstUse(() => {
  const { common, full } = parts();
  const concurrency = "must be a whole number, 1 or more";
  return z.object({
    type: z.literal("fork"),
    ...common,
    join: full,
    maxConcurrency: z.int(concurrency).min(1, concurrency).optional(),
    /** The older way to write branches; must agree with the fork's edges. */
    branches: z
      .custom<{ [name: string]: { entryStep: string; description?: string } }>(
        (value) =>
          isObject(value) &&
          Object.values(value).every((branch) => isObject(branch) && typeof branch.entryStep === "string"),
        "must be an object of branches, each with an entryStep",
      )
      .optional(),
  });
});
export type ForkNode = z.infer<ReturnType<typeof schema>>;

export const fork: NodeKind<ForkNode> = {
  schema,
  codes: { join: "fork_join_mismatch", maxConcurrency: "invalid_max_concurrency" },
  place: "step",
  edges: "branches",
  work: false,
  outputs: () => undefined,
  exit: (node) => node.join,
  check: (checked, findings) => {
    checkPair(checked, "join", findings);
    checkBranches(checked, findings);
  },
  begins: "branches",
  arrival: () => ({ status: "IN_PROGRESS" }),
  details: (node, { graph, task }) => branchesText(graph, task.currentStep, node),
  call: (_node, { graph, task }) =>
    unlessOver(task, () => {
      const entries = edgesFrom(graph, task.currentStep).map(({ to }) => to);
      return `${workOfOthers(task, entries)} By hand: call ${advanceCall(task, PASSED_OR_FAILED)}.`;
    }),
  terminal: () => null,
  drawing: pairDrawing,
};

function checkBranches({ nodeId, node, graph: { nodes, edges } }: CheckedNode, findings: GraphFindings): void {
  if (edges === null) return;
  const { join, branches } = node.read as Partial<ForkNode>;
  const out = edges.filter((edge) => edge.from === nodeId);
  if (out.length === 0)
    findings.error("fork_without_branches", `Fork "${nodeId}" has no outgoing edge: each branch is one.`, { nodeId });
  for (const edge of out) {
    const place = { nodeId, edgeIndex: edge.index };
    const problem = branchIdProblem(edge.to);
    if (problem !== undefined)
      findings.error("invalid_node_id", `Node "${edge.to}" needs another id: ${problem}.`, { nodeId: edge.to });
    if (edge.to === join)
      findings.error(
        "degenerate_branch",
        `${edgeText(edge)} goes straight to its own join: a branch has a step.`,
        place,
      );
    if (nodes.get(edge.to)?.type === "fork")
      findings.error("nested_fork", `${edgeText(edge)} leads from a fork to a fork: add a step between them.`, place);
  }
  if (!branches) return;
  const entries = Object.values(branches).map((branch) => branch.entryStep);
  const targets = out.map((edge) => edge.to);
  const odd = [...entries.filter((id) => !targets.includes(id)), ...targets.filter((id) => !entries.includes(id))];
  if (odd.length > 0)
    findings.error(
      "fork_join_mismatch",
      `Fork "${nodeId}": branches and outgoing edges do not agree about ${[...new Set(odd)].join(", ")}.`,
      { nodeId },
    );
}

function branchesText(graph: Graph, fork: string, node: ForkNode): string[] {
  const described = new Map(Object.values(node.branches ?? {}).map((one) => [one.entryStep, one.description]));
  const lines = edgesFrom(graph, fork).map(({ to }) => {
    const about = described.get(to);
    return `- ${named(graph, to)}${about ? `: ${about}` : ""}`;
  });
  const limit = node.maxConcurrency === undefined ? "" : `, at most ${node.maxConcurrency} at a time`;
  const join = nodeOf(graph, node.join) as JoinNode | undefined;
  return [
    `Branches, side by side${limit}:\n${lines.join("\n")}`,
    `They meet at ${named(graph, node.join)}: ${join?.strategy === "any-pass" ? "at least one" : "every one"} must pass.`,
  ];
}

function named(graph: Graph, id: string): string {
  const name = nodeName(graph, id);
  return name === id ? id : `${id} (${name})`;
}

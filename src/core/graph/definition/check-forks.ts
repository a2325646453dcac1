import type { Findings } from "./findings";
import { groupedBy } from "./grouped-by";
import { edgeText, type Graph, type SketchEdge, type SketchNode } from "./loose-graph";

/** Forks and joins come in pairs, and a fork has real branches (graph reference, sections 1.1, 2 and 9.1). */
export function checkForks({ nodes, edges }: Graph, findings: Findings): void {
  const out = groupedBy(edges, (edge) => edge.from);
  for (const [nodeId, node] of nodes) {
    if (node.type === "fork") {
      checkPair(nodeId, node.join, "join", nodes, findings);
      checkBranches(nodeId, node, out.get(nodeId) ?? [], nodes, findings);
    }
    if (node.type === "join") checkPair(nodeId, node.fork, "fork", nodes, findings);
  }
}

/** `partner` is undefined when the property could not be read, which is reported already. */
function checkPair(
  nodeId: string,
  partner: string | undefined,
  kind: "fork" | "join",
  nodes: Graph["nodes"],
  findings: Findings,
): void {
  if (partner === undefined) return;
  const other = nodes.get(partner);
  const back = kind === "join" ? other?.fork : other?.join;
  if (other?.type === kind && back === nodeId) return;
  const found =
    other === undefined
      ? "which is no node"
      : other.type !== kind
        ? `which is a ${other.type ?? "node of unknown type"}`
        : `which belongs to ${back === undefined ? "none" : `"${back}"`}`;
  findings.error(
    "fork_join_mismatch",
    `Node "${nodeId}" names "${partner}" as its ${kind}, ${found}: a fork and a join name each other, one to one.`,
    { nodeId },
  );
}

function checkBranches(
  nodeId: string,
  fork: SketchNode,
  edges: readonly SketchEdge[],
  nodes: Graph["nodes"],
  findings: Findings,
): void {
  if (edges.length === 0)
    findings.error("fork_without_branches", `Fork "${nodeId}" has no outgoing edge: each branch is one.`, { nodeId });
  for (const edge of edges) {
    const place = { nodeId, edgeIndex: edge.index };
    if (edge.to === fork.join)
      findings.error(
        "degenerate_branch",
        `${edgeText(edge)} goes straight to its own join: a branch has a step.`,
        place,
      );
    if (nodes.get(edge.to)?.type === "fork")
      findings.error("nested_fork", `${edgeText(edge)} leads from a fork to a fork: put a step between them.`, place);
  }
  if (!fork.branches) return;
  const entries = Object.values(fork.branches).map((branch) => branch.entryStep);
  const targets = edges.map((edge) => edge.to);
  const odd = [...entries.filter((id) => !targets.includes(id)), ...targets.filter((id) => !entries.includes(id))];
  if (odd.length > 0)
    findings.error(
      "fork_join_mismatch",
      `Fork "${nodeId}": branches and outgoing edges do not agree about ${[...new Set(odd)].join(", ")}.`,
      { nodeId },
    );
}

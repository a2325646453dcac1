import { reachable, reversed, successors } from "../../base/ordering";
import { edgeText, type GraphFindings } from "../nodes/findings";
import type { UncheckedGraph } from "../nodes/node-kind";

/** Every node can be reached, can be left, and leads to an end; loops on failure are limited. */
export function checkPaths(graph: UncheckedGraph, starts: readonly string[], findings: GraphFindings): void {
  checkUnreachable(graph, starts, findings);
  checkWaysOut(graph, findings);
  checkLoops(graph, findings);
}

function checkUnreachable({ nodes, edges }: UncheckedGraph, starts: readonly string[], findings: GraphFindings): void {
  if (starts.length === 0) return;
  const reached = reachable(starts, successors(edges));
  for (const nodeId of nodes.keys())
    if (!reached.has(nodeId))
      findings.error(
        "unreachable_node",
        `Node "${nodeId}" cannot be reached from the start: add an edge to it, or remove it.`,
        {
          nodeId,
        },
      );
}

function checkWaysOut({ nodes, edges }: UncheckedGraph, findings: GraphFindings): void {
  const next = successors(edges);
  // A node whose type could not be read may have been intended as an end.
  const ends = [...nodes].filter(([, { kind }]) => kind === undefined || kind.place === "end").map(([id]) => id);
  const leadsToEnd = reachable(ends, successors(edges.map(reversed)));
  for (const [nodeId, { kind }] of nodes) {
    if (kind === undefined || kind.place === "end") continue;
    if (next(nodeId).length === 0) {
      // A fork without edges has its own finding.
      if (kind.edges !== "branches")
        findings.error("dead_end", `Node "${nodeId}" has no edge leading out; only end nodes may stop there.`, {
          nodeId,
        });
    } else if (ends.length > 0 && !leadsToEnd.has(nodeId))
      findings.error("no_path_to_end", `From node "${nodeId}" no end node can be reached: add the missing edge.`, {
        nodeId,
      });
  }
}

/** A loop whose closing edge is on failed, and which has no retry limit, never ends. */
function checkLoops({ nodes, edges }: UncheckedGraph, findings: GraphFindings): void {
  const uncounted = edges.filter(
    ({ from, to }) =>
      nodes.get(from)?.kind?.place !== "end" && nodes.get(from)?.maxRetries === 0 && nodes.get(to)?.maxRetries === 0,
  );
  const next = successors(uncounted);
  for (const edge of uncounted) {
    if (edge.on !== "failed" || !reachable([edge.to], next).has(edge.from)) continue;
    findings.warn(
      "unbounded_loop",
      `${edgeText(edge)} closes a loop in which no step has maxRetries above 0: give "${edge.from}" a limit and a way out.`,
      { nodeId: edge.from, edgeIndex: edge.index },
    );
  }
}

import { defined } from "../../base/defined";
import { groupedBy } from "../../base/grouped-by";
import { closingArcs, levelsOf, reachable, reversed, successors } from "../../base/ordering";
import { type Definition, type Edge, isEnd, startOf } from "../definition/schema";

/**
 * The levels of a graph without the edges that go back (graph reference, section 6): level 0 has no predecessor, a
 * node's level is its longest distance from the start. Nodes of one level have no path between them.
 */
export interface ExecutionPlan {
  workflowId: string;
  levels: string[][];
  levelCount: number;
  stepCount: number;
  backEdges: BackEdge[];
}

/** An edge that goes back, and is left out of the levels (graph reference, section 6). */
export interface BackEdge {
  from: string;
  to: string;
  on?: string;
  kind: "recovery" | "retry" | "cycle";
}

/**
 * The levels of a graph (graph reference, section 6). Every node appears exactly once; among equals the order of the
 * file decides.
 */
export function executionPlan(definition: Definition): ExecutionPlan {
  const nodes = Object.keys(definition.nodes);
  const removed = new Map<Edge, BackEdge["kind"]>();
  const kept = () => definition.edges.filter((edge) => !removed.has(edge));

  for (const edge of definition.edges) if (isEnd(definition, edge.from)) removed.set(edge, "recovery");
  for (const edge of kept())
    if (edge.on === "failed" && !isEnd(definition, edge.to) && reachable([edge.to], successors(kept())).has(edge.from))
      removed.set(edge, "retry");
  // From the start first. Only a recovery edge leads to the other nodes.
  for (const edge of closingArcs([startOf(definition), ...nodes], outOf(kept()))) removed.set(edge, "cycle");

  const levels = levelsOf(nodes, successors(kept().map(reversed)));
  const backEdges = [...removed].map(([{ from, to, on }, kind]) => ({
    from,
    to,
    ...defined({ on }),
    kind,
  }));
  return { workflowId: definition.id, levels, levelCount: levels.length, stepCount: nodes.length, backEdges };
}

function outOf(edges: readonly Edge[]): (node: string) => readonly Edge[] {
  const out = groupedBy(edges, (edge) => edge.from);
  return (node) => out.get(node) ?? [];
}

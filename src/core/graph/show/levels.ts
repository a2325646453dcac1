import { groupedBy } from "../definition/grouped-by";
import { reachable, successors } from "../definition/reach";
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

export interface BackEdge {
  from: string;
  to: string;
  on?: string;
  kind: "recovery" | "retry" | "cycle";
}

/** Deterministic: file order decides among equals. Every node appears exactly once. */
export function executionPlan(definition: Definition): ExecutionPlan {
  const nodes = Object.keys(definition.nodes);
  const removed = new Map<Edge, BackEdge["kind"]>();
  const kept = () => definition.edges.filter((edge) => !removed.has(edge));

  for (const edge of definition.edges) if (isEnd(definition, edge.from)) removed.set(edge, "recovery");
  for (const edge of kept())
    if (edge.on === "failed" && !isEnd(definition, edge.to) && reachable([edge.to], successors(kept())).has(edge.from))
      removed.set(edge, "retry");
  for (const edge of cycleEdges([startOf(definition), ...nodes], kept())) removed.set(edge, "cycle");

  const levels = levelsOf(nodes, kept());
  const backEdges = [...removed].map(([{ from, to, on }, kind]) => ({
    from,
    to,
    ...(on === undefined ? {} : { on }),
    kind,
  }));
  return { workflowId: definition.id, levels, levelCount: levels.length, stepCount: nodes.length, backEdges };
}

/**
 * Edges to a node on the current path of a depth-first walk in file order. `roots`: the start node, then all nodes, for
 * those that only a recovery edge leads to.
 */
function cycleEdges(roots: readonly string[], edges: readonly Edge[]): Edge[] {
  const out = groupedBy(edges, (edge) => edge.from);
  const found: Edge[] = [];
  const done = new Set<string>();
  const path = new Set<string>();
  for (const root of roots) {
    // A stack of its own: a long chain must not exhaust the host's.
    const stack = done.has(root) ? [] : [{ node: root, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      path.add(top.node);
      const edge = out.get(top.node)?.[top.next++];
      if (edge === undefined) {
        path.delete(top.node);
        done.add(top.node);
        stack.pop();
      } else if (path.has(edge.to)) found.push(edge);
      else if (!done.has(edge.to)) stack.push({ node: edge.to, next: 0 });
    }
  }
  return found;
}

/** Kahn's order over edges without cycles. */
function levelsOf(nodes: readonly string[], edges: readonly Edge[]): string[][] {
  const next = successors(edges);
  const open = new Map(nodes.map((id) => [id, 0]));
  for (const { to } of edges) open.set(to, (open.get(to) ?? 0) + 1);
  const order = new Map(nodes.map((id, i) => [id, i]));
  const levels: string[][] = [];
  for (let level = nodes.filter((id) => open.get(id) === 0); level.length > 0; ) {
    levels.push(level);
    const following: string[] = [];
    for (const id of level)
      for (const to of next.get(id) ?? []) {
        const left = (open.get(to) ?? 0) - 1;
        open.set(to, left);
        if (left === 0) following.push(to);
      }
    level = following.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  }
  return levels;
}

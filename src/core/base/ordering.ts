/**
 * Order, circles and reachability for everything with dependencies: the nodes of a graph, the tasks of a plan, agents
 * and workflows that use each other. Nothing here recurses: a long chain must not exhaust the host's stack.
 */

/** The nodes that a node leads to, or that it needs. */
export type Next<N> = (node: N) => Iterable<N>;

/** An edge of any graph: one thing leads to another. */
export interface Arc {
  from: string;
  to: string;
}

/** The targets of the edges out of each node, in the order of the edges. */
export function successors(arcs: Iterable<Arc>): (node: string) => readonly string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of arcs) {
    const list = next.get(from);
    if (list) list.push(to);
    else next.set(from, [to]);
  }
  return (node) => next.get(node) ?? [];
}

/** The same edge the other way round. */
export const reversed = ({ from, to }: Arc): Arc => ({ from: to, to: from });

/** Every node that a path from one of `starts` leads to, with the node before it; null for the starts. Nearest first. */
export function reachedFrom<N>(starts: Iterable<N>, next: Next<N>): Map<N, N | null> {
  const cameFrom = new Map<N, N | null>();
  for (const start of starts) cameFrom.set(start, null);
  // A map grows while it is walked.
  for (const node of cameFrom.keys()) for (const to of next(node)) if (!cameFrom.has(to)) cameFrom.set(to, node);
  return cameFrom;
}

/** All nodes on a path from one of `starts`, the starts included. */
export function reachable<N>(starts: Iterable<N>, next: Next<N>): Set<N> {
  return new Set(reachedFrom(starts, next).keys());
}

/** A shortest path, both ends included; null if there is none. */
export function shortestPath<N>(from: N, to: N, next: Next<N>): N[] | null {
  const cameFrom = reachedFrom([from], next);
  if (!cameFrom.has(to)) return null;
  const path: N[] = [];
  for (let at: N | null = to; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at);
  return path;
}

/** A circle from a node back to itself, as `[a, b, a]`; null if there is none. */
export function findCircle<N>(nodes: Iterable<N>, next: Next<N>): N[] | null {
  for (const { arc, path } of depthFirst(nodes, next, (to) => to))
    if (arc !== undefined) return [...path.slice(path.indexOf(arc)), arc];
  return null;
}

/** The edges that close circles: without them the graph has none. `out` gives the edges out of a node. */
export function closingArcs<A extends Arc>(roots: Iterable<string>, out: (node: string) => Iterable<A>): A[] {
  const found: A[] = [];
  for (const { arc } of depthFirst(roots, out, ({ to }) => to)) if (arc !== undefined) found.push(arc);
  return found;
}

/**
 * The nodes in an order in which each stands after those that it needs; otherwise they keep the given order. Needs
 * outside of the nodes count as met, and a need that closes a circle is left out.
 */
export function topologicalOrder<N>(nodes: Iterable<N>, needs: Next<N>): N[] {
  const all = new Set(nodes);
  const known = (node: N) => [...needs(node)].filter((needed) => all.has(needed));
  const order: N[] = [];
  for (const { arc, path } of depthFirst(all, known, (to) => to)) if (arc === undefined) order.push(path.at(-1) as N);
  return order;
}

/**
 * The nodes by level: nodes of level 0 have no dependencies, the others are one level above their highest dependency.
 * Within a level in the given order. There must be no circle.
 */
export function levelsOf<N>(nodes: Iterable<N>, needs: Next<N>): N[][] {
  const all = [...new Set(nodes)];
  const levelOf = new Map<N, number>();
  for (const node of topologicalOrder(all, needs)) {
    let level = 0;
    for (const needed of needs(node)) level = Math.max(level, (levelOf.get(needed) ?? -1) + 1);
    levelOf.set(node, level);
  }
  const levels: N[][] = [];
  for (const node of all) {
    const level = levelOf.get(node) as number;
    while (levels.length <= level) levels.push([]);
    levels[level]?.push(node);
  }
  return levels;
}

/**
 * Traverses depth first. Gives each arc that leads back to a node of its path (`path` ends where the arc begins), and,
 * without an arc, the path to each node once everything below it is done.
 */
function* depthFirst<N, A>(
  roots: Iterable<N>,
  out: (node: N) => Iterable<A>,
  target: (arc: A) => N,
): Generator<{ path: readonly N[]; arc?: A }> {
  const done = new Set<N>();
  for (const root of roots) {
    if (done.has(root)) continue;
    const path = [root];
    const open = new Set(path);
    const pending = [out(root)[Symbol.iterator]()];
    for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
      const { done: over, value: arc } = top.next();
      if (over) {
        yield { path };
        const node = path.pop() as N;
        open.delete(node);
        done.add(node);
        pending.pop();
      } else if (open.has(target(arc))) yield { path, arc };
      else if (!done.has(target(arc))) {
        const node = target(arc);
        path.push(node);
        open.add(node);
        pending.push(out(node)[Symbol.iterator]());
      }
    }
  }
}

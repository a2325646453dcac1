/** Who can be reached from where; iterative, so that a long chain cannot exhaust the host's stack. */

export interface Arc {
  from: string;
  to: string;
}

/** node -> successors, in the order of the arcs. */
export function successors(arcs: Iterable<Arc>): Map<string, string[]> {
  const next = new Map<string, string[]>();
  for (const { from, to } of arcs) {
    const list = next.get(from);
    if (list) list.push(to);
    else next.set(from, [to]);
  }
  return next;
}

/** All nodes that a path from one of `starts` leads to, the starts included. */
export function reachable(starts: Iterable<string>, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const seen = new Set(starts);
  const todo = [...seen];
  for (let node = todo.pop(); node !== undefined; node = todo.pop())
    for (const to of next.get(node) ?? [])
      if (!seen.has(to)) {
        seen.add(to);
        todo.push(to);
      }
  return seen;
}

export const reversed = ({ from, to }: Arc): Arc => ({ from: to, to: from });

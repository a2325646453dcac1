import { type Definition, maxRetriesOf, nodeOf } from "./schema";

interface Link {
  from: string;
  to: string;
}

/** All nodes that can be reached, the starting ones included. */
export function reachableFrom(starts: readonly string[], links: readonly Link[]): Set<string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of links) next.set(from, [...(next.get(from) ?? []), to]);
  const seen = new Set(starts);
  const queue = [...starts];
  for (let id = queue.pop(); id !== undefined; id = queue.pop())
    for (const to of next.get(id) ?? [])
      if (!seen.has(to)) {
        seen.add(to);
        queue.push(to);
      }
  return seen;
}

/** Sources of edges on `failed` that close a cycle in which no step limits its retries. */
export function stronglyLooped(definition: Definition): string[] {
  const { edges } = definition;
  const work = edges.filter((edge) => nodeOf(definition, edge.from)?.type !== "end");
  const found = work.filter((edge) => {
    if (edge.on !== "failed") return false;
    const onCycle = [...reachableFrom([edge.to], work)].filter((id) => reachableFrom([id], work).has(edge.from));
    if (!onCycle.includes(edge.from)) return false;
    return onCycle.every((id) => {
      const node = nodeOf(definition, id);
      return node === undefined || maxRetriesOf(node) === 0;
    });
  });
  return [...new Set(found.map((edge) => edge.from))];
}

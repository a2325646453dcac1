import { type NaiveEdge, type NaiveGraph, typeOf } from "./graph";

/** Levels and back edges, point by point (graph reference, section 6); levels by trying every path. */
export function naiveLevels(graph: NaiveGraph): { levels: string[][]; backEdges: object[] } {
  const backEdges: { from: string; to: string; on?: string; kind: string }[] = [];
  let left = [...graph.edges];
  const takeOut = (edge: NaiveEdge, kind: string) => {
    left = left.filter((one) => one !== edge);
    const { from, to, on } = edge;
    backEdges.push(on === undefined ? { from, to, kind } : { from, to, on, kind });
  };

  // 1
  for (const edge of graph.edges) if (typeOf(graph, edge.from) === "end") takeOut(edge, "recovery");
  // 2
  for (const edge of graph.edges)
    if (left.includes(edge) && edge.on === "failed" && typeOf(graph, edge.to) !== "end")
      if (leadsTo(left, edge.to, edge.from, [])) takeOut(edge, "retry");
  // 3
  const walkedFrom: string[] = [];
  const walk = (node: string, path: string[]) => {
    for (const edge of left.filter((one) => one.from === node)) {
      if ([...path, node].includes(edge.to)) takeOut(edge, "cycle");
      else if (!walkedFrom.includes(edge.to)) walk(edge.to, [...path, node]);
    }
    walkedFrom.push(node);
  };
  const start = [...graph.nodes.keys()].find((id) => typeOf(graph, id) === "start") as string;
  walk(start, []);
  // Steps that only a recovery edge reaches are not on that walk, and their cycles are broken alike.
  for (const id of graph.nodes.keys()) if (!walkedFrom.includes(id)) walk(id, []);
  // 4
  const longest = (node: string): number =>
    Math.max(-1, ...left.filter((edge) => edge.to === node).map((edge) => longest(edge.from))) + 1;
  const levels: string[][] = [];
  for (const id of graph.nodes.keys()) {
    const level = longest(id);
    while (levels.length <= level) levels.push([]);
    levels[level]?.push(id);
  }
  return { levels, backEdges };
}

function leadsTo(edges: NaiveEdge[], from: string, target: string, seen: string[]): boolean {
  if (from === target) return true;
  if (seen.includes(from)) return false;
  seen.push(from);
  return edges.some((edge) => edge.from === from && leadsTo(edges, edge.to, target, seen));
}

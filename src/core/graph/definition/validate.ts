import { type ReviewTerms, togetherProblem } from "../../review/policy/terms";
import { edgeText, type GraphFindings, type UncheckedEdge } from "../nodes/findings";
import type { Graph } from "../nodes/graph";
import type { UncheckedGraph } from "../nodes/node-kind";
import { checkPaths } from "./check-paths";
import { checkResults } from "./check-results";

/** The definitions that are loaded already, by id. */
export type Loaded = ReadonlyMap<string, Graph>;

/**
 * The rules of a graph that could be read (graph reference, section 2). All findings are collected, so that an author
 * can fix a file in one pass.
 */
export function validateGraph(
  { nodes, edges: all }: UncheckedGraph<readonly UncheckedEdge[] | null>,
  { id, loaded, people }: { id: string; loaded: Loaded | undefined; people?: ReviewTerms | undefined },
  findings: GraphFindings,
): void {
  const starts = [...nodes].filter(([, { kind }]) => kind?.place === "start").map(([id]) => id);
  if (starts.length !== 1) {
    const found = starts.length === 0 ? "none" : `${starts.length}: ${starts.join(", ")}`;
    findings.error("start_count", `A definition has exactly one start node; this one has ${found}.`);
  }
  if (![...nodes.values()].some(({ kind }) => kind?.place === "end"))
    findings.error("no_end", "A definition needs at least one end node; this one has none.");
  const edges = all === null ? null : checkEnds(nodes, all, findings);
  if (edges !== null) {
    checkPaths({ nodes, edges }, starts, findings);
    checkResults({ nodes, edges }, findings);
  }
  for (const [nodeId, { read }] of nodes) {
    const { review } = read as { review?: ReviewTerms };
    const problem = review === undefined ? null : togetherProblem(people, review, "the graph");
    if (problem !== null) findings.error("invalid_property", `Node "${nodeId}": review, ${problem}.`, { nodeId });
  }
  for (const [nodeId, node] of nodes) node.kind?.check({ nodeId, node, graph: { nodes, edges }, id, loaded }, findings);
}

/** Gives the edges that connect two nodes; reports the others, edges into the start and duplicate edges. */
function checkEnds(
  nodes: UncheckedGraph["nodes"],
  edges: readonly UncheckedEdge[],
  findings: GraphFindings,
): UncheckedEdge[] {
  const known = [...nodes.keys()];
  const seen = new Map<string, number>();
  return edges.filter((edge) => {
    const place = { edgeIndex: edge.index };
    if (!nodes.has(edge.from))
      findings.error("unknown_source", `${edgeText(edge)} comes from "${edge.from}"${noNode(edge.from, known)}`, place);
    if (!nodes.has(edge.to))
      findings.error("unknown_target", `${edgeText(edge)} leads to "${edge.to}"${noNode(edge.to, known)}`, place);
    if (nodes.get(edge.to)?.kind?.place === "start")
      findings.error(
        "edge_into_start",
        `${edgeText(edge)} leads into the start node; begin with a step after it.`,
        place,
      );
    const key = JSON.stringify([edge.from, edge.to, edge.on ?? null]);
    const first = seen.get(key);
    if (first !== undefined)
      findings.error("duplicate_edge", `${edgeText(edge)} is identical to edges[${first}]; remove one of them.`, place);
    else seen.set(key, edge.index);
    return nodes.has(edge.from) && nodes.has(edge.to) && first === undefined;
  });
}

const MAX_LISTED = 12;

function noNode(id: string, known: readonly string[]): string {
  const alike = known.find((other) => other.toLowerCase() === id.toLowerCase());
  if (alike !== undefined) return `, which is not a node. Did you mean "${alike}"?`;
  const more = known.length > MAX_LISTED ? `, ... (${known.length} in all)` : "";
  return `, which is not a node. Nodes: ${known.slice(0, MAX_LISTED).join(", ")}${more}.`;
}

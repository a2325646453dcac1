import { groupedBy } from "../../base/grouped-by";
import { edgeText, type GraphFindings, type UncheckedEdge } from "../nodes/findings";
import { MAX_RETRIES_EXCEEDED } from "../nodes/graph";
import type { UncheckedGraph, UncheckedNode } from "../nodes/node-kind";

/**
 * Checks that results and edges fit: every edge's result is possible, every result has an edge, retries have an
 * escalation.
 */
export function checkResults({ nodes, edges }: UncheckedGraph, findings: GraphFindings): void {
  const out = groupedBy(edges, (edge) => edge.from);
  const isEnd = (id: string) => nodes.get(id)?.kind?.place === "end";
  for (const [nodeId, node] of nodes) {
    const ways = out.get(nodeId) ?? [];
    if (node.kind?.edges === "result") {
      checkDeclared(node, ways, findings);
      checkCovered(nodeId, node, ways, findings);
    }
    // All branches are taken.
    if (node.kind?.edges !== "branches") checkAmbiguous(ways, isEnd, findings);
    if (node.maxRetries > 0) checkRetries(nodeId, node.maxRetries, ways, isEnd, findings);
  }
  for (const edge of edges) if (edge.on_failure === "undo") checkUndo(edge, nodes, findings);
}

/** `on_failure: undo` needs a node where something is done, and one after it that may fail. */
function checkUndo(edge: UncheckedEdge, nodes: UncheckedGraph["nodes"], findings: GraphFindings): void {
  const why = whyNothingIsUndone(edge, nodes);
  if (why !== undefined)
    findings.warn(
      "nothing_to_undo",
      `${edgeText(edge)} has on_failure undo, and ${why}: nothing is ever undone. It belongs on an edge from a task, gate, subflow or join to a node that may fail.`,
      { nodeId: edge.from, edgeIndex: edge.index },
    );
}

function whyNothingIsUndone({ from, to }: UncheckedEdge, nodes: UncheckedGraph["nodes"]): string | undefined {
  const source = nodes.get(from);
  const target = nodes.get(to);
  if (from === to) return `it leads back to "${from}"`;
  if (source?.type !== undefined && DOES_NOTHING.includes(source.type))
    return `nothing is done at ${source.type === "end" ? "an" : "a"} ${source.type}`;
  if (target?.type === "wait") return `the wait "${to}" never fails`;
  if (target?.type === "end" && (target.read as { result?: string }).result === "success")
    return `the end "${to}" is a success`;
  return undefined;
}

/** Types of nodes at which nobody works. A fork's branches have not begun on the edges out of it. */
const DOES_NOTHING: readonly string[] = ["start", "end", "wait", "fork"];

function checkDeclared({ outputs }: UncheckedNode, ways: readonly UncheckedEdge[], findings: GraphFindings): void {
  for (const edge of ways)
    if (edge.on !== undefined && edge.on !== MAX_RETRIES_EXCEEDED && !outputs.includes(edge.on))
      findings.error(
        "output_not_declared",
        `${edgeText(edge)}: "${edge.from}" has no output "${edge.on}", only ${outputs.join(", ")}. Add it to outputs or correct the edge.`,
        { nodeId: edge.from, edgeIndex: edge.index },
      );
}

function checkCovered(
  nodeId: string,
  { outputs }: UncheckedNode,
  ways: readonly UncheckedEdge[],
  findings: GraphFindings,
): void {
  const on = new Set(ways.map((edge) => edge.on));
  // A node without any edge is a dead end, which is reported already.
  if (on.has(undefined) || on.size === 0) return;
  for (const output of outputs) {
    if (on.has(output) || (output === "failed" && on.has(MAX_RETRIES_EXCEEDED))) continue;
    findings.warn(
      "uncovered_output",
      `Node "${nodeId}" has no edge for its output "${output}" and no unconditional edge: that result will not move a task.`,
      { nodeId },
    );
  }
}

function checkAmbiguous(ways: readonly UncheckedEdge[], isEnd: (id: string) => boolean, findings: GraphFindings): void {
  // A retry and its escalation are both on failed; their targets distinguish them.
  const groups = groupedBy(ways, ({ on, to }) =>
    on === "failed" ? `failed ${isEnd(to)}` : JSON.stringify(on ?? null),
  );
  for (const [first, ...others] of groups.values())
    for (const edge of others)
      findings.warn(
        "ambiguous_edge",
        `${edgeText(edge)} is never taken: ${edgeText(first as UncheckedEdge)} comes before it in the file and fits the same result.`,
        { nodeId: edge.from, edgeIndex: edge.index },
      );
}

function checkRetries(
  nodeId: string,
  maxRetries: number,
  ways: readonly UncheckedEdge[],
  isEnd: (id: string) => boolean,
  findings: GraphFindings,
): void {
  const failed = ways.filter((edge) => edge.on === "failed");
  const exceeded = ways.some((edge) => edge.on === MAX_RETRIES_EXCEEDED);
  if (failed.length === 0 && !exceeded)
    findings.warn(
      "unused_max_retries",
      `Node "${nodeId}" has maxRetries ${maxRetries}, but no edge on failed or ${MAX_RETRIES_EXCEEDED}: it is never retried.`,
      { nodeId },
    );
  const leadsOut = exceeded || failed.some(({ to }) => isEnd(to)) || ways.some((edge) => edge.on === undefined);
  if (failed.length > 0 && !leadsOut)
    findings.warn(
      "retry_without_escalation",
      `Node "${nodeId}" goes back on failed, but nothing leads out after ${maxRetries} retries: the task will fail there. Add an edge on ${MAX_RETRIES_EXCEEDED}.`,
      { nodeId },
    );
}

import { type NaiveEdge, type NaiveGraph, typeOf } from "./graph";

/** Which way a step is left: the eight points of graph reference, section 3, one after the other. */
export type Choice =
  | { error: "result_required" | "reserved_result" | "invalid_result" }
  | { action: "no_outgoing_edges" | "no_matching_edge"; available: { to: string; on: string | null }[] }
  | { action: "unconditional" | "conditional"; to: string }
  | { action: "retry"; to: string }
  | { action: "escalate"; to: string | null };

export function choose(graph: NaiveGraph, S: string, r: string | undefined, used: number): Choice {
  const node = graph.nodes.get(S);
  const M = node?.maxRetries ?? 0;
  // 9.1: a result given on the fork itself is evaluated on the join's edges.
  const from = node?.type === "fork" ? (node.join as string) : S;
  const out = graph.edges.filter((edge) => edge.from === from);

  // 1
  if (out.length === 0) return { action: "no_outgoing_edges", available: [] };
  const unconditional = out.filter((edge) => edge.on === undefined);
  // 2
  if (r === undefined) {
    if (unconditional.length > 0) return { action: "unconditional", to: (unconditional[0] as NaiveEdge).to };
    return { error: "result_required" };
  }
  // 3
  if (r === "max_retries_exceeded") return { error: "reserved_result" };
  // 4
  if (node?.outputs !== undefined && node.outputs.indexOf(r) === -1) return { error: "invalid_result" };
  // 5
  if (r === "failed") {
    const failed = out.filter((edge) => edge.on === "failed");
    const R = failed.filter((edge) => typeOf(graph, edge.to) !== "end");
    const E = failed.filter((edge) => typeOf(graph, edge.to) === "end");
    const X = out.filter((edge) => edge.on === "max_retries_exceeded");
    const row = failedRow(R, E, X, M, used, S, unconditional);
    if (row !== null) return row;
  } else {
    // 6
    const exact = out.filter((edge) => edge.on === r);
    if (exact.length > 0) return { action: "conditional", to: (exact[0] as NaiveEdge).to };
  }
  // 7
  if (unconditional.length > 0) return { action: "conditional", to: (unconditional[0] as NaiveEdge).to };
  // 8
  return { action: "no_matching_edge", available: out.map((edge) => ({ to: edge.to, on: edge.on ?? null })) };
}

/** The table of point 5, row by row; null is its last one. */
function failedRow(
  R: NaiveEdge[],
  E: NaiveEdge[],
  X: NaiveEdge[],
  M: number,
  used: number,
  S: string,
  unconditional: NaiveEdge[],
): Choice | null {
  const left = used < M;
  const to = (edges: NaiveEdge[]) => (edges[0] as NaiveEdge).to;
  if (R.length > 0 && (X.length > 0 || E.length > 0)) {
    if (left) return { action: "retry", to: to(R) };
    return { action: "escalate", to: X.length > 0 ? to(X) : to(E) };
  }
  if (R.length > 0 && M === 0) return { action: "conditional", to: to(R) };
  if (R.length > 0) {
    if (left) return { action: "retry", to: to(R) };
    return { action: "escalate", to: unconditional.length > 0 ? to(unconditional) : null };
  }
  if (E.length > 0 && X.length === 0 && M === 0) return { action: "conditional", to: to(E) };
  if (E.length > 0 && X.length === 0) return left ? { action: "retry", to: S } : { action: "escalate", to: to(E) };
  if (E.length === 0 && X.length > 0) return left ? { action: "retry", to: S } : { action: "escalate", to: to(X) };
  if (E.length > 0 && X.length > 0) return left ? { action: "retry", to: S } : { action: "escalate", to: to(X) };
  return null;
}

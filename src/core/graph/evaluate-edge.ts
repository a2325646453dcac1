import { type Failure, failed } from "../failure";
import { type Definition, type Edge, MAX_RETRIES_EXCEEDED, maxRetriesOf, type Node, nodeOf } from "./schema";

/** Where a result leads (navigator reference, section 3). The caller stores the counters. */
export type Move =
  | { action: "unconditional" | "conditional"; to: string }
  | { action: "retry"; to: string; retriesUsed: number; retriesRemaining: number; maxRetries: number }
  /** `to` is null when retries are used up and nothing leads out. */
  | { action: "escalate"; to: string | null; retriesUsed: number; retriesRemaining: 0; maxRetries: number }
  | { action: "no_matching_edge" | "no_outgoing_edges"; availableEdges: { to: string; on?: string }[] };

/**
 * Chooses the way out of a step. File order decides among equals, everywhere.
 *
 * @param used retries taken from this step so far
 * @returns a refusal (`result_required`, `reserved_result`, `invalid_result`) or the move
 */
export function evaluateEdge(
  definition: Definition,
  step: string,
  result: string | undefined,
  used: number,
): { ok: true; move: Move } | { ok: false; fail: Failure } {
  const node = nodeOf(definition, step) as Node;
  const out = definition.edges.filter((edge) => edge.from === step);
  if (out.length === 0) return moved({ action: "no_outgoing_edges", availableEdges: [] });
  const unconditional = out.find((edge) => edge.on === undefined);
  if (result === undefined) {
    if (unconditional) return moved({ action: "unconditional", to: unconditional.to });
    const results = [...new Set(out.map((edge) => edge.on))].filter((on) => on !== MAX_RETRIES_EXCEEDED).join(", ");
    return failed("result_required", `Step "${step}" needs a result: ${results}.`);
  }
  if (result === MAX_RETRIES_EXCEEDED)
    return failed(
      "reserved_result",
      `"${MAX_RETRIES_EXCEEDED}" is taken by the engine alone; a step that failed says "failed".`,
    );
  const declared = node.type === "task" || node.type === "gate" ? node.outputs : undefined;
  if (declared && !declared.includes(result))
    return failed(
      "invalid_result",
      `"${result}" is no output of step "${step}"; declared are ${declared.join(", ")}.`,
      { outputs: declared },
    );
  if (result === "failed") {
    const move = failedMove(definition, step, out, unconditional, used, maxRetriesOf(node));
    if (move) return moved(move);
  }
  const matching = out.find((edge) => edge.on === result);
  if (matching) return moved({ action: "conditional", to: matching.to });
  if (unconditional) return moved({ action: "unconditional", to: unconditional.to });
  return moved({
    action: "no_matching_edge",
    availableEdges: out.map(({ to, on }) => (on === undefined ? { to } : { to, on })),
  });
}

const moved = (move: Move) => ({ ok: true as const, move });

/** Section 3, point 5: the table of what a failure does. Undefined: no row applies. */
function failedMove(
  definition: Definition,
  step: string,
  out: readonly Edge[],
  unconditional: Edge | undefined,
  used: number,
  max: number,
): Move | undefined {
  const onFailed = out.filter((edge) => edge.on === "failed");
  const isEnd = (edge: Edge) => nodeOf(definition, edge.to)?.type === "end";
  const retryEdge = onFailed.find((edge) => !isEnd(edge));
  const endEdge = onFailed.find(isEnd);
  const exceededEdge = out.find((edge) => edge.on === MAX_RETRIES_EXCEEDED);
  const up = exceededEdge ?? endEdge;
  if (retryEdge && up) return retryOrEscalate({ retry: retryEdge.to, up: up.to }, used, max);
  if (retryEdge) {
    // Never counted: the definition sets no limit.
    if (max === 0) return { action: "conditional", to: retryEdge.to };
    return retryOrEscalate({ retry: retryEdge.to, up: unconditional?.to ?? null }, used, max);
  }
  if (exceededEdge) return retryOrEscalate({ retry: step, up: exceededEdge.to }, used, max);
  if (endEdge)
    return max === 0
      ? { action: "conditional", to: endEdge.to }
      : retryOrEscalate({ retry: step, up: endEdge.to }, used, max);
  return undefined;
}

/** @returns the move with its counters: retries taken from this step, 0..max. */
export function retryOrEscalate(ways: { retry: string; up: string | null }, used: number, max: number): Move {
  if (used < max)
    return {
      action: "retry",
      to: ways.retry,
      retriesUsed: used + 1,
      retriesRemaining: max - used - 1,
      maxRetries: max,
    };
  return { action: "escalate", to: ways.up, retriesUsed: used, retriesRemaining: 0, maxRetries: max };
}

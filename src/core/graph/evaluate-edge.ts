import type { Failure } from "../failure";
import { type Definition, type Edge, edgesFrom, isEnd, MAX_RETRIES_EXCEEDED, maxRetriesOf, nodeOf } from "./schema";

/**
 * Which way a step is left (navigator reference, section 3). Exact results first, for `failed` the retry before the
 * escalation while retries remain, unconditional edges last; among equals the first in the file.
 */

/** A retry or escalation with its counters: retries taken from this step, 0..maxRetries. */
export interface Move {
  /** null: retries are used up and nothing leads out. */
  to: string | null;
  action: "retry" | "escalate";
  retriesUsed: number;
  retriesRemaining: number;
}

export interface AvailableEdge {
  to: string;
  on: string | null;
}

export type Evaluation =
  | { kind: "edge"; to: string; action: "unconditional" | "conditional" }
  | ({ kind: "counted"; maxRetries: number } & Move)
  | { kind: "no_way"; action: "no_matching_edge" | "no_outgoing_edges"; availableEdges: AvailableEdge[] }
  | { kind: "refused"; fail: Failure };

/**
 * Evaluates one result at one step.
 *
 * @param used retries already taken from this step. The step must be in the definition.
 * Refuses with `result_required`, `reserved_result`, `invalid_result`. "No way" is an answer, not an error.
 */
export function evaluateEdge(
  definition: Definition,
  step: string,
  result: string | undefined,
  used: number,
): Evaluation {
  const out = edgesFrom(definition, step);
  if (out.length === 0) return { kind: "no_way", action: "no_outgoing_edges", availableEdges: [] };
  const fallback = out.find((edge) => edge.on === undefined);
  const node = nodeOf(definition, step);
  const declared = node?.type === "task" || node?.type === "gate" ? node.outputs : undefined;
  const choices = declared ?? results(out);
  if (result === undefined)
    return fallback
      ? { kind: "edge", to: fallback.to, action: "unconditional" }
      : refused("result_required", `Step "${step}" needs a result: one of ${choices.join(", ")}.`, choices);
  if (result === MAX_RETRIES_EXCEEDED)
    return refused("reserved_result", `"${result}" is the engine's own; report "failed" instead.`, choices);
  if (declared && !declared.includes(result))
    return refused("invalid_result", `Step "${step}" has no result "${result}": ${declared.join(", ")}.`, choices);

  if (result === "failed") {
    const maxRetries = node ? maxRetriesOf(node) : 0;
    const way = wayOfFailure(definition, step, out, used, maxRetries);
    if (way) return way;
  } else {
    const exact = out.find((edge) => edge.on === result);
    if (exact) return { kind: "edge", to: exact.to, action: "conditional" };
  }
  if (fallback) return { kind: "edge", to: fallback.to, action: "unconditional" };
  return { kind: "no_way", action: "no_matching_edge", availableEdges: out.map(available) };
}

/**
 * The table of point 5. Which failed edge is the retry is told by its target: one that leads to an end node is the
 * way up, any other the retry. A lone way up with retries left is tried again in place.
 */
function wayOfFailure(
  definition: Definition,
  step: string,
  out: readonly Edge[],
  used: number,
  maxRetries: number,
): Evaluation | null {
  const onFailed = out.filter((edge) => edge.on === "failed");
  const back = onFailed.find((edge) => !isEnd(definition, edge.to));
  const end = onFailed.find((edge) => isEnd(definition, edge.to));
  const exceeded = out.find((edge) => edge.on === MAX_RETRIES_EXCEEDED);
  const up = exceeded ?? end;
  if (!back && !up) return null;
  // Without a limit a lone failed edge is an ordinary edge, never counted.
  if (maxRetries === 0 && !(back && up) && !exceeded)
    return { kind: "edge", to: (back ?? (up as Edge)).to, action: "conditional" };
  const ways = { retry: back ?? { to: step }, up: up ?? out.find((edge) => edge.on === undefined) ?? { to: null } };
  return { kind: "counted", maxRetries, ...retryOrEscalate(ways, used, maxRetries) };
}

/**
 * Chooses between another try and the way up.
 *
 * @returns the move with its counters; the caller stores them.
 */
export function retryOrEscalate(
  ways: { retry: { to: string }; up: { to: string | null } },
  used: number,
  maxRetries: number,
): Move {
  return used < maxRetries
    ? { to: ways.retry.to, action: "retry", retriesUsed: used + 1, retriesRemaining: maxRetries - used - 1 }
    : { to: ways.up.to, action: "escalate", retriesUsed: used, retriesRemaining: 0 };
}

const available = ({ to, on }: Edge): AvailableEdge => ({ to, on: on ?? null });

function results(out: readonly Edge[]): string[] {
  const named = out
    .map((edge) => edge.on)
    .filter((on): on is string => on !== undefined && on !== MAX_RETRIES_EXCEEDED);
  // A step whose only edge is the engine's own may still fail.
  return named.length === 0 ? ["failed"] : [...new Set(named)];
}

function refused(reason: string, message: string, choices: readonly string[]): Evaluation {
  return { kind: "refused", fail: { reason, message, details: { results: [...choices] } } };
}

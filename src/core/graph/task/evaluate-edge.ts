import type { PlainCode } from "../../base/error-codes";
import type { Failure } from "../../base/failure";
import { shortened } from "../../base/whole-characters";
import { type Definition, type Edge, MAX_RETRIES_EXCEEDED } from "../definition/schema";
import { type WaysOut, waysOut } from "./ways-out";

/**
 * Chooses the edge out of a step (graph reference, section 3). Exact results come first; for `failed` the retry comes
 * before the escalation while retries remain; unconditional edges come last. Among equals the first in the file wins.
 */

/** A retry or escalation with its counters: retries taken from this step, 0..maxRetries. */
export interface Move {
  /** null: retries are used up and nothing leads out. */
  to: string | null;
  action: "retry" | "escalate";
  retriesUsed: number;
  retriesRemaining: number;
}

/** An edge that leads on from a step, for a caller whose result fits none. */
export interface AvailableEdge {
  to: string;
  on: string | null;
}

/** Where a result leads. */
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
  const ways = waysOut(definition, step);
  const { all, always, declared } = ways;
  if (all.length === 0) return { kind: "no_way", action: "no_outgoing_edges", availableEdges: [] };
  if (result === undefined)
    return always
      ? { kind: "edge", to: always.to, action: "unconditional" }
      : refused("result_required", `Step "${step}" needs a result: one of ${choices(ways).join(", ")}.`, ways);
  if (result === MAX_RETRIES_EXCEEDED)
    return refused("reserved_result", `"${result}" is reserved for the engine; report "failed" instead.`, ways);
  if (declared && !declared.includes(result))
    return refused(
      "invalid_result",
      `Step "${step}" has no result "${shortResult(result)}": ${declared.join(", ")}.`,
      ways,
    );

  if (result === "failed") {
    const way = wayOfFailure(step, ways, used);
    if (way) return way;
  } else {
    const exact = ways.exact.get(result);
    if (exact) return { kind: "edge", to: exact.to, action: "conditional" };
  }
  // A result was given: the move answers it, though the edge would take any.
  if (always) return { kind: "edge", to: always.to, action: "conditional" };
  return { kind: "no_way", action: "no_matching_edge", availableEdges: all.map(available) };
}

/**
 * The table of point 5. The target of a failed edge decides whether it is the retry: one that leads to an end node is the
 * way up, any other the retry. A lone way up with retries left is tried again in place.
 */
function wayOfFailure(step: string, ways: WaysOut, used: number): Evaluation | null {
  const { always, back, end, exceeded, maxRetries } = ways;
  const up = exceeded ?? end;
  if (!back && !up) return null;
  // Without a limit a lone failed edge is an ordinary edge, never counted.
  if (maxRetries === 0 && !(back && up) && !exceeded)
    return { kind: "edge", to: (back ?? (up as Edge)).to, action: "conditional" };
  const { to, action, retriesUsed, retriesRemaining } = retryOrEscalate(
    { retry: back ?? { to: step }, up: up ?? always ?? NOWHERE },
    used,
    maxRetries,
  );
  return { kind: "counted", to, action, retriesUsed, retriesRemaining, maxRetries };
}

const NOWHERE = { to: null };

/**
 * Chooses between a retry and the escalation.
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

const MAX_RESULT_CHARS = 200;

/** A result as an answer shows it: of a result that fits no edge, a caller needs to know which one it was. */
export const shortResult = (result: string): string => shortened(result, MAX_RESULT_CHARS);

const available = ({ to, on }: Edge): AvailableEdge => ({ to, on: on ?? null });

/** The possible results of a step: as declared, else those of its edges. */
function choices({ all, declared }: WaysOut): readonly string[] {
  if (declared) return declared;
  const named = all
    .map((edge) => edge.on)
    .filter((on): on is string => on !== undefined && on !== MAX_RETRIES_EXCEEDED);
  // A step whose only edge is on the engine's own result may still fail.
  return named.length === 0 ? ["failed"] : [...new Set(named)];
}

function refused(reason: PlainCode, message: string, ways: WaysOut): Evaluation {
  return { kind: "refused", fail: { reason, message, details: { results: [...choices(ways)] } } };
}

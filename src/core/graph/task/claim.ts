import { failed, type Result } from "../../base/failure";
import type { ClaimRequest, ClaimToken } from "./claim-input";

/**
 * Who holds a task, and until when. Every claim has a token of its own, so that an answer of an earlier holder, whose time
 * ran out, can be told from the present holder's, whatever their clocks say. Only the holder knows it: lists and views of
 * the task do not show it.
 */
export interface Claim {
  owner: string;
  token: ClaimToken;
  /** Ms since 1970. */
  expiresAt: number;
}

/** Whether a claim is valid at a time. */
export function holds(claim: Claim | null, nowMs: number): claim is Claim {
  return claim !== null && nowMs < claim.expiresAt;
}

/**
 * Why somebody may not act on a claimed task; null when they may. A token is checked even when nobody holds the task:
 * whoever sends one believes that they hold it.
 */
export function claimRefusal(
  taskId: string,
  claim: Claim | null,
  token: ClaimToken | undefined,
  nowMs: number,
): Result<never> | null {
  const held = holds(claim, nowMs);
  if (token !== undefined) {
    if (held && claim.token === token) return null;
    const now = held ? `It is held by ${claim.owner} now.` : "Nobody holds it now.";
    return failed(
      "claim_lost",
      `Claim ${token} of task "${taskId}" has expired or was released: nothing was done. ${now}`,
      {
        token,
        ...(held ? { owner: claim.owner } : {}),
      },
    );
  }
  return held ? claimed(taskId, claim) : null;
}

/** A new claim, or the present one renewed by its holder. */
export function takeClaim(
  taskId: string,
  claim: Claim | null,
  newToken: () => ClaimToken,
  { owner, leaseMs, token }: ClaimRequest,
  nowMs: number,
): Result<Claim> {
  const expiresAt = nowMs + leaseMs;
  if (token !== undefined)
    return claimRefusal(taskId, claim, token, nowMs) ?? { ok: true, value: { owner, token, expiresAt } };
  return holds(claim, nowMs) ? claimed(taskId, claim) : { ok: true, value: { owner, token: newToken(), expiresAt } };
}

function claimed(taskId: string, { owner, expiresAt }: Claim): Result<never> {
  return failed("task_claimed", `Task "${taskId}" is held by ${owner} until ${new Date(expiresAt).toISOString()}.`, {
    owner,
    expiresAt,
  });
}

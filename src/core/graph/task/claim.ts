import { failed, type Result } from "../../base/failure";
import type { ClaimRequest, ClaimToken } from "./claim-input";

/**
 * Who claims a task, and until when. Every claim has a new token, so that an answer of an earlier owner, whose time
 * ran out, differs from the present owner's, whatever their clocks show. Only the owner knows it: lists and views of
 * the task do not show it.
 */
export interface Claim {
  owner: string;
  token: ClaimToken;
  /** Ms since 1970. */
  expiresAt: number;
}

/** Whether a claim is valid at a time. */
export function isClaimed(claim: Claim | null, nowMs: number): claim is Claim {
  return claim !== null && nowMs < claim.expiresAt;
}

/**
 * Why somebody may not act on a claimed task; null when they may. A token is checked even when nobody claims the task:
 * its sender believes that the task is claimed.
 */
export function claimRefusal(
  taskId: string,
  claim: Claim | null,
  token: ClaimToken | undefined,
  nowMs: number,
): Result<never> | null {
  const current = isClaimed(claim, nowMs);
  if (token !== undefined) {
    if (current && claim.token === token) return null;
    const now = current ? `It is claimed by ${claim.owner} now.` : "Nobody claims it now.";
    return failed(
      "claim_lost",
      `Claim ${token} of task "${taskId}" has expired or was released: nothing was done. ${now}`,
      {
        token,
        ...(current ? { owner: claim.owner } : {}),
      },
    );
  }
  return current ? claimed(taskId, claim) : null;
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
  return isClaimed(claim, nowMs)
    ? claimed(taskId, claim)
    : { ok: true, value: { owner, token: newToken(), expiresAt } };
}

function claimed(taskId: string, { owner, expiresAt }: Claim): Result<never> {
  return failed("task_claimed", `Task "${taskId}" is claimed by ${owner} until ${new Date(expiresAt).toISOString()}.`, {
    owner,
    expiresAt,
  });
}

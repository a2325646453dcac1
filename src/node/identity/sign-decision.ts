import { randomBytes } from "node:crypto";
import type { Decision } from "../../core/review/decision-input";
import { decisionText } from "../../core/review/decision-text";
import { signText } from "./detached-jws";
import type { PrivateKey } from "./keys";

/**
 * A decision with a signature (approvals reference, section 4).
 *
 * @param decision with the seal of the review, as the person saw it; its own nonce is that of a link
 * @param nowMs ms since 1970
 */
export async function signDecision(decision: Decision, key: PrivateKey, nowMs = Date.now()): Promise<Decision> {
  const { nonce = randomBytes(18).toString("base64url") } = decision;
  const stamped: Decision = { ...decision, time: nowMs, nonce };
  return { ...stamped, signature: await signText(decisionText(stamped), key) };
}

import type { JsonObject } from "../base/json";
import { canonicalDigest } from "../effects/effect-id";
import { sourceOf } from "./kinds";
import type { SealedCall } from "./kinds/sealed-call";

/**
 * The seal of a review: a digest of exactly what is asked, so that a yes to one thing is no yes to another (approvals
 * reference, section 3).
 */

/** What the seal of any question covers. */
export interface SealedQuestion {
  id: string;
  kind: string;
  title: string;
  body: string;
  data: JsonObject;
  choices: string[];
  sealed?: SealedCall | undefined;
}

/** The seal of a review with this nonce: SHA-256 of its canonical JSON, in base64url. */
export function sealOf({ id, kind, title, body, data, choices, sealed }: SealedQuestion, nonce: string): string {
  if (sealed !== undefined) return callSeal(data.tool as string, data.args as JsonObject, sealed, id, nonce);
  return canonicalDigest({ review: id, nonce, source: sourceOf(kind), title, body, data, choices });
}

/** The seal of a call. */
export function callSeal(tool: string, args: JsonObject, call: SealedCall, review: string, nonce: string): string {
  return canonicalDigest({ review, nonce, tool, args, ...call } as unknown as JsonObject);
}

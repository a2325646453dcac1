import type { Json, JsonObject } from "../base/json";
import { canonicalDigest } from "../effects/effect-id";

/**
 * The seal of a review: a digest of exactly what is asked, so that a yes to one thing is no yes to another (approvals
 * reference, section 3).
 */

/** What the seal of a tool call covers, besides the tool's name, the arguments, the review and its nonce. */
export interface SealedCall {
  tool_version: string;
  /** The workflow id of what a user started. */
  mission: string;
  /** The place of the call within its run: `TURN.CALL`. */
  place: string;
  /** Which effect the call means: its key in the ledger, with the work and the number. */
  generation: string;
  /** All missions of the project know the effect: its guard gives the call its key. */
  shared?: true;
  /** How long a yes counts after it was given, ms. */
  valid_for_ms: number;
  /** How many people must agree; absent = one. */
  quorum?: number;
  /** Who asked for the mission, where that is known. */
  requested_by?: string;
}

/** How long a yes counts, unless the review says otherwise: one day, in ms. */
export const VALID_FOR_MS = 24 * 60 * 60 * 1_000;

/** What the seal of any question covers. */
export interface SealedQuestion {
  id: string;
  source: string;
  title: string;
  body: string;
  data: JsonObject;
  choices: string[];
  sealed?: SealedCall | undefined;
}

/** The seal of a review with this nonce: SHA-256 of its canonical JSON, in base64url. */
export function sealOf({ id, source, title, body, data, choices, sealed }: SealedQuestion, nonce: string): string {
  if (sealed !== undefined) return callSeal(data.tool as string, data.args as JsonObject, sealed, id, nonce);
  return canonicalDigest({ review: id, nonce, source, title, body, data, choices });
}

/** The seal of a call. */
export function callSeal(tool: string, args: JsonObject, call: SealedCall, review: string, nonce: string): string {
  return canonicalDigest({ review, nonce, tool, args, ...call } as { [field: string]: Json });
}

import type { ReviewTerms } from "../policy/terms";

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
  /** The terms by which people are asked; absent: not known. */
  terms?: ReviewTerms;
  /** How long a yes counts after it was given, ms. */
  valid_for_ms: number;
  /** How many people must agree; absent = one. */
  quorum?: number;
  /** Who asked for the mission, where that is known. */
  requested_by?: string;
}

/** How long an approval counts, unless the review sets another time: one day, in ms. */
export const VALID_FOR_MS = 24 * 60 * 60 * 1_000;

/** How long a yes counts, ms. */
export const validFor = (terms: { valid_for_ms?: number } | undefined): number => terms?.valid_for_ms ?? VALID_FOR_MS;

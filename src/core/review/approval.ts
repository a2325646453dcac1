import { type Failure, failed } from "../base/failure";
import { isoTime } from "../base/iso-time";
import type { JsonObject } from "../base/json";
import { canonicalJson } from "../effects/canonical-json";
import { readEffectKey, sharedKey } from "../effects/effect-key";
import { editedArgs } from "./edit";
import { APPROVE } from "./kinds/approval";
import type { SealedCall } from "./kinds/sealed-call";
import { agreedVotes, type RecordedDecision, type Review } from "./review";
import { callSeal } from "./seal";
import { TIMER } from "./timers";

/**
 * The approval that a tool call is sent with. The caller of the tool checks it once more, with the tool and the arguments that
 * it has itself (approvals reference, section 3).
 */
export interface SealedApproval {
  review: string;
  seal: string;
  nonce: string;
  sealed: SealedCall;
  /** The arguments that were asked about; the call may have others, if the decisions change them. */
  asked_args: JsonObject;
  /** Those who agreed. */
  decisions: RecordedDecision[];
}

/** What a call is sent with after this review; undefined if the review has no seal, or was not a yes. */
export function approvalOf(review: Review): SealedApproval | undefined {
  const { id, decision, seal, nonce, sealed, data, editable } = review;
  if (decision === undefined || seal === undefined || nonce === undefined || sealed === undefined) return undefined;
  if (decision.choice !== editable?.choice) return undefined;
  return {
    review: id,
    seal,
    nonce,
    sealed,
    asked_args: data.args as JsonObject,
    decisions: agreedVotes(review),
  };
}

/** How many people had to agree. */
export const approvalQuorum = ({ sealed: { quorum = 1 } }: SealedApproval): number => quorum;

/** The call that is about to be made. */
export interface CallToMake {
  tool: string;
  tool_version: string;
  args: JsonObject;
  /** Its idempotency key. */
  key: string;
}

/**
 * Why a call may not be made with this approval; null if it may. Reasons: `seal_broken` for a call that is not the one
 * that was approved, `approval_expired`.
 */
export function approvalProblem(approval: SealedApproval, call: CallToMake, nowMs: number): Failure | null {
  const { review, seal, nonce, sealed, asked_args, decisions } = approval;
  const broken = (what: string, details: JsonObject = {}) =>
    failed("seal_broken", `The call of ${call.tool} is not the one that review "${review}" approved: ${what}.`, {
      review,
      seal,
      ...details,
    }).fail;
  if (sealed.tool_version !== call.tool_version)
    return broken("the tool is another version now", {
      approved_version: sealed.tool_version,
      version: call.tool_version,
    });
  if (callSeal(call.tool, asked_args, sealed, review, nonce) !== seal) return broken("its seal does not fit");
  if (decisions.length === 0) return broken("nobody has decided");
  for (const { choice, value, by, review: decided, seal: seen, signature } of decisions) {
    const isOfSeal = seen === seal || (seen === undefined && signature === undefined);
    if (decided !== review || !isOfSeal) return broken(`${by} decided something else`);
    if (choice !== APPROVE) return broken(`${by} did not approve it`);
    if (canonicalJson(editedArgs(asked_args, value)) !== canonicalJson(call.args))
      return broken(`${by} approved other arguments`);
  }
  const isEdited = canonicalJson(call.args) !== canonicalJson(approval.asked_args);
  if (!isKeyOf(approval.sealed, call.key, isEdited)) return broken("it is for another effect", { key: call.key });
  return expiryProblem(approval, call.tool, nowMs);
}

/** Why an approval counts no more at `nowMs`, by the clock of the server; null while it does. */
export function expiryProblem(approval: SealedApproval, tool: string, nowMs: number): Failure | null {
  const valid_until = validUntil(approval);
  if (nowMs <= valid_until) return null;
  return failed("approval_expired", `The approval of ${tool} counted until ${isoTime(valid_until)}.`, {
    review: approval.review,
    valid_until,
  }).fail;
}

/**
 * Whether the key is that of the effect that was asked about. A change of the arguments makes another effect of the same
 * mission, and an effect that missions share is numbered by its guard.
 */
export function isKeyOf(
  { generation, mission, shared }: Pick<SealedCall, "generation" | "mission" | "shared">,
  key: string,
  isEdited: boolean,
): boolean {
  if (key === generation) return true;
  const called = readEffectKey(key);
  if (called === undefined) return false;
  // The id of the effect is of the version that the mission began with, which this worker may not have any more.
  if (!isEdited && called.id !== readEffectKey(generation)?.id) return false;
  if (shared && key === sharedKey(mission, called.id, called.n)) return true;
  return isEdited && called.mission === mission;
}

/** The last moment at which the call may begin, ms since 1970: every approval must still count. The signed text has the time itself. */
function validUntil({ decisions, sealed }: SealedApproval): number {
  const given = decisions.map(({ at, time, signature }) => (signature === undefined ? at : Math.min(at, time ?? at)));
  return Math.min(...given) + sealed.valid_for_ms;
}

/** Whether a call may still begin with the approval of this review, at `nowMs` (ms since 1970). */
export function mayBegin(review: Review, nowMs: number): boolean {
  const { decision, sealed, startedAt } = review;
  if (decision === undefined || sealed === undefined || startedAt !== undefined) return false;
  return decision.choice === APPROVE && nowMs <= decision.at + sealed.valid_for_ms;
}

/** Whether the yes was the default, because nobody decided in time. */
export const isDefault = ({ decisions }: SealedApproval): boolean => decisions.every(({ by }) => by === TIMER);

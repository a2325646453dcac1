import { defined } from "../../base/defined";
import { isObject, isTexts } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { canonicalDigest } from "../../effects/effect-id";
import { revokedBy } from "../../review/decide";
import { APPROVE } from "../../review/kinds/approval";
import { reviewPolicy } from "../../review/policy/review-policy";
import { PeopleTerms } from "../../review/policy/terms";
import { kindOfSource } from "../../review/recorded-kind";
import { agreedVotes, type RecordedDecision, type Review } from "../../review/review";
import { LONG_CALL } from "../../review/review-links";

/** A review as the chain shows it. */
export interface KnownReview {
  workflow: string;
  body: JsonObject;
  /** What was asked, or what is kept of it (`keptOf`); absent: nothing. */
  asked?: JsonObject;
  /** As its run had it: the rules of reviews are asked about it. */
  review: Review;
  /** A link shows that its rules decided it. */
  isRuled?: true;
}

/**
 * The review that a link opens; null: the link lacks a part of a review.
 *
 * @param at ms since 1970
 */
export function reviewOfLink(body: JsonObject, asked: JsonObject | undefined, at: number): Review | null {
  const { id, source, title, choices, assignees, requested_by, seal, on_timeout, hand_over } = body;
  const { escalate, hours } = body;
  if (![id, source, title].every((text) => typeof text === "string")) return null;
  if (Array.isArray(escalate) && escalate.length > MAX_STEPS) return null;
  const ladder = PeopleTerms().safeParse(defined({ escalate, hours }));
  if (!isTexts(choices) || !ladder.success) return null;
  const terms = {
    ...ladder.data,
    ...(isTexts(assignees) ? { assignees } : {}),
    ...(typeof on_timeout === "string" ? { on_timeout } : {}),
    ...count("quorum", body.quorum),
    ...count("distinct_groups", body.distinct_groups),
    ...(typeof body.separation === "boolean" ? { separation: body.separation } : {}),
    ...(hand_over === false ? { hand_over } : {}),
  };
  // What was too long to be kept may be a call.
  const sealed = asked === undefined && source === "tool" ? {} : asked?.sealed;
  const data = isObject(asked?.data) ? asked.data : {};
  return {
    id: id as string,
    kind: kindOfSource({ source: source as string, id: id as string, data }),
    title: title as string,
    body: "",
    data,
    choices,
    createdAt: at,
    status: "open",
    moves: {},
    ...reviewPolicy(terms, at, choices),
    ...(typeof requested_by === "string" ? { requestedBy: requested_by } : {}),
    ...(typeof seal === "string" ? { seal } : {}),
    // The seal does not cover the link's record of the choice that takes changes: for a call that choice is always
    // the approval.
    ...(isObject(sealed)
      ? {
          sealed: sealed as unknown as NonNullable<Review["sealed"]>,
          editable: { choice: APPROVE, parameters: "" },
        }
      : {}),
  };
}

const count = (name: "quorum" | "distinct_groups", value: Json | undefined): { [name: string]: number } =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? { [name]: value } : {};

/** How long a ladder may be: those of people have a few steps, and each costs time to check. */
const MAX_STEPS = 100;

/** What is kept of what was asked: all of it, or of a call that is too long its tool and what its seal covers. */
export function keptOf({ long }: JsonObject, value: JsonObject | undefined): JsonObject | undefined {
  if (isObject(value?.asked)) return value.asked;
  const call = long === true ? value?.[LONG_CALL] : undefined;
  if (!isObject(call)) return undefined;
  const { nonce = null, sealed = null, tool = null } = call;
  return { nonce, sealed, data: { tool } };
}

/** The seal of what was asked (approvals reference, section 3). */
export function sealOfAsked(
  { id, source, title, choices }: JsonObject,
  { nonce, sealed, body, data }: JsonObject,
): string {
  const review = { review: id as Json, nonce: nonce ?? null };
  if (!isObject(sealed)) {
    const question = { source: source as Json, title: title as Json, body: body ?? null, data: data ?? null };
    return canonicalDigest({ ...review, ...question, choices: choices as Json });
  }
  const { tool = null, args = null } = isObject(data) ? data : {};
  return canonicalDigest({ ...review, tool, args, ...sealed });
}

/** The yes to a call: that of people, or of the rules of the review. undefined: there is none, or it was taken back. */
export function yesOf({ review }: KnownReview): RecordedDecision | undefined {
  const { decision, sealed } = review;
  const isYes = sealed !== undefined && decision?.choice === APPROVE && revokedBy(review) === undefined;
  return isYes ? decision : undefined;
}

/** The people who have approved so far, whatever the arguments. */
export function approvalsOf({ review }: KnownReview): string[] {
  if (review.sealed === undefined) return [];
  const given = review.decision === undefined ? (review.votes ?? []) : agreedVotes(review);
  return given.filter(({ choice }) => choice === APPROVE).map(({ by }) => by);
}

import { approvalKind } from "./approval";
import { budgetKind } from "./budget";
import { escalationKind } from "./escalation";
import { gateKind } from "./gate";
import { otherEffectKind } from "./other-effect";
import { planReviewKind } from "./plan-review";
import { questionKind } from "./question";
import type { ReviewKind, ReviewQuestion } from "./review-kind";
import { sameEffectKind } from "./same-effect";
import { unknownEffectKind } from "./unknown-effect";

/** The kinds of reviews, in the order in which lists offer them. A new kind is a file in this folder and a line here. */
export const REVIEW_KINDS = {
  approval: approvalKind,
  gate: gateKind,
  question: questionKind,
  escalation: escalationKind,
  budget: budgetKind,
  unknown_effect: unknownEffectKind,
  same_effect: sameEffectKind,
  other_effect: otherEffectKind,
  plan_review: planReviewKind,
} satisfies { [kind: string]: ReviewKind };

/** The name of a kind of review, as in a review's `kind`. */
export type ReviewKindName = keyof typeof REVIEW_KINDS;

/** A question to people, with its kind: the request for a review. */
export interface ReviewRequest extends ReviewQuestion {
  kind: ReviewKindName;
}

type SubjectOf<K extends ReviewKindName> = (typeof REVIEW_KINDS)[K] extends ReviewKind<infer Subject> ? Subject : never;

/** The request for a review of this kind. */
export function reviewRequest<K extends ReviewKindName>(kind: K, subject: SubjectOf<K>): ReviewRequest {
  const { ask } = REVIEW_KINDS[kind] as unknown as ReviewKind<SubjectOf<K>>;
  return { kind, ...ask(subject) };
}

/** The rules of a review's kind. A memo of a newer version may name a kind that is not here: it is shown, and is for people. */
export const reviewKind = ({ kind }: { kind: string }): ReviewKind =>
  Object.hasOwn(REVIEW_KINDS, kind) ? REVIEW_KINDS[kind as ReviewKindName] : { ...UNKNOWN, drawing: { label: kind } };

const UNKNOWN: Omit<ReviewKind, "drawing"> = { ...escalationKind, agents: "nothing", about: () => ({}) };

/** The word for a kind in seals and in the chain. */
export const sourceOf = (kind: string): string => reviewKind({ kind }).source ?? kind;

import { canonical } from "../base/canonical";
import { defined } from "../base/defined";
import { isObject, isTexts } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { revokedBy } from "../review/decide";
import { editedArgs } from "../review/edit";
import { reviewPolicy } from "../review/policy/review-policy";
import { PeopleTerms } from "../review/policy/terms";
import { agreedVotes, type Review } from "../review/review";

/** A review as the chain tells of it. */
export interface KnownReview {
  workflow: string;
  body: JsonObject;
  /** What was asked; absent: it was too long to be kept. */
  asked?: JsonObject;
  /** As its run had it: the rules of reviews are asked about it. */
  review: Review;
  /** What the rules of the review chose, because people did not. */
  ruled?: string;
}

/**
 * The review that a link opens; null: the link does not say what a review has.
 *
 * @param at ms since 1970
 */
export function reviewOfLink(body: JsonObject, asked: JsonObject | undefined, at: number): Review | null {
  const { choices, assignees, edit, requested_by, seal, on_timeout, comments, hand_over } = body;
  const { escalate, hours } = body;
  const ladder = PeopleTerms().safeParse(defined({ escalate, hours }));
  if (!isTexts(choices) || !ladder.success) return null;
  const terms = {
    ...ladder.data,
    ...(isTexts(assignees) ? { assignees } : {}),
    ...(typeof on_timeout === "string" ? { on_timeout } : {}),
    ...count("quorum", body.quorum),
    ...count("distinct_groups", body.distinct_groups),
    ...(typeof body.separation === "boolean" ? { separation: body.separation } : {}),
    ...(comments === false ? { comments } : {}),
    ...(hand_over === false ? { hand_over } : {}),
  };
  // What was too long to be kept may be a call.
  const sealed = asked === undefined && body.source === "tool" ? {} : asked?.sealed;
  return {
    id: String(body.id),
    source: body.source as Review["source"],
    title: String(body.title),
    body: "",
    data: isObject(asked?.data) ? asked.data : {},
    choices,
    createdAt: at,
    status: "open",
    moves: {},
    ...reviewPolicy(terms, at, choices),
    ...(typeof requested_by === "string" ? { requestedBy: requested_by } : {}),
    ...(typeof edit === "string" ? { editable: { choice: edit, parameters: "" } } : {}),
    ...(typeof seal === "string" ? { seal } : {}),
    ...(isObject(sealed) ? { sealed: sealed as unknown as NonNullable<Review["sealed"]> } : {}),
  };
}

const count = (name: "quorum" | "distinct_groups", value: Json | undefined): { [name: string]: number } =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? { [name]: value } : {};

/** Whether people, or the rules of the review, have said yes to a call with these arguments, and nobody took it back. */
export function isApproved({ asked, review, ruled }: KnownReview, args: JsonObject): boolean {
  const before = isObject(asked?.data) && isObject(asked.data.args) ? asked.data.args : undefined;
  const isThis = (edit: Json | undefined) =>
    before === undefined || canonical(editedArgs(before, edit)) === canonical(args);
  const yes = review.editable?.choice;
  const { decision } = review;
  if (decision !== undefined)
    return decision.choice === yes && revokedBy(review) === undefined && isThis(decision.value);
  return ruled !== undefined && ruled === yes && isThis(undefined);
}

/** Who has said yes so far, to whatever arguments. */
export function sayYes({ review }: KnownReview): string[] {
  const said = review.decision === undefined ? (review.votes ?? []) : agreedVotes(review);
  return said.filter(({ choice }) => choice === review.editable?.choice).map(({ by }) => by);
}

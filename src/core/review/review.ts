import { isObject } from "../base/is-object";
import type { Json } from "../base/json";
import { canonicalJson } from "../effects/canonical-json";
import { editedArgs } from "./edit";
import type { ReviewMove } from "./kinds/review-kind";
import type { RecordedDecision, Review } from "./review-schema";

export type { Decision } from "./decision-input";
export type { RecordedDecision, Review } from "./review-schema";

/** The decisions that made the final one; with a quorum, those who agreed. */
export function agreedVotes(review: Review): RecordedDecision[] {
  const { decision, votes } = review;
  if (decision === undefined) return [];
  const isWanted = (vote: RecordedDecision) => wantedBy(review, vote) === wantedBy(review, decision);
  const agreed = (votes ?? []).filter((vote) => vote.choice === decision.choice && isWanted(vote));
  return agreed.length > 0 ? agreed : [decision];
}

/** What a vote makes of the call, so that two ways to write one change are the same. */
export function wantedBy({ editable, data }: Review, { choice, value }: RecordedDecision): string {
  const wanted: Json | undefined =
    choice === editable?.choice && isObject(data.args) ? editedArgs(data.args, value) : value;
  return wanted === undefined ? "" : canonicalJson(wanted);
}

/** Whether the review is about a call that cannot be taken back. */
export const isIrreversible = ({ data }: Pick<Review, "data">): boolean => data.effect === "irreversible";

/**
 * What deciding `choice` does to the task; undefined for a choice without a move. A choice may be called `constructor`.
 */
export function moveOf(review: Review, choice: string): ReviewMove | undefined {
  return Object.hasOwn(review.moves, choice) ? review.moves[choice] : undefined;
}

import type { Review, ReviewMove } from "./review-schema";

export type { Decision } from "./decision-input";
export type { Review, ReviewMove } from "./review-schema";

/**
 * What deciding `choice` does to the task; undefined for a choice without a move. A choice may be called `constructor`.
 */
export function moveOf(review: Review, choice: string): ReviewMove | undefined {
  return Object.hasOwn(review.moves, choice) ? review.moves[choice] : undefined;
}

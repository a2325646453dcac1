import type { Failure } from "../base/failure";
import { isObject } from "../base/is-object";
import { COMMENT, type Decision } from "./decision-input";
import type { Review } from "./review";

/** Comments: the texts of people on a review that decide nothing (approvals reference, section 5). */

/** The longest comment, in characters. */
const MAX_CHARS = 2_000;
/** A review is in its workflow, which must not grow without limit. */
const MAX_COMMENTS = 100;

/** A comment. */
export interface ReviewComment {
  by: string;
  /** Ms since 1970. */
  at: number;
  text: string;
}

/** The comments of a review, the oldest first. */
export const commentsOf = ({ comments = [] }: Pick<Review, "comments">): ReviewComment[] =>
  comments.map(({ by, at, value }) => ({ by, at, text: textOf(value) ?? "" }));

const textOf = (value: Decision["value"]): string | null =>
  isObject(value) && typeof value.text === "string" && value.text.trim() !== "" ? value.text : null;

/** Why a comment cannot be added; null if it can. */
export function commentProblem({ id, comments = [] }: Review, { value }: Decision): Failure | null {
  const refused = (path: "choice" | "value", message: string): Failure => ({
    reason: "invalid_decision",
    message,
    details: { path, review: id, choice: COMMENT },
  });
  const text = textOf(value);
  if (text === null) return refused("value", "A comment needs a value with its text: {text}.");
  if (text.length > MAX_CHARS)
    return refused("value", `A comment has at most ${MAX_CHARS} characters, this one ${text.length}.`);
  if (comments.length >= MAX_COMMENTS)
    return refused("choice", `Review "${id}" has ${MAX_COMMENTS} comments, and takes no more.`);
  return null;
}

import { canonical } from "../base/canonical";
import type { Failure } from "../base/failure";
import { isObject } from "../base/is-object";
import { isoTime } from "../base/iso-time";
import type { JsonObject } from "../base/json";
import { answerProblem, editedArgs, editProblem } from "./edit";
import type { Decision, Review } from "./review";

/** Decisions about reviews (engine reference, section 6): whether one can be applied, and its effect. */

/**
 * Why a decision cannot be applied; null if it can. `parseDecision` parses input from outside first.
 *
 * Reasons: `review_not_found`, `already_decided`, `review_withdrawn`, `review_expired`, `not_an_assignee`,
 * `invalid_choice`, `already_voted`, `invalid_value`.
 */
export function checkDecision(reviews: readonly Review[], decision: Decision, nowMs: number): Failure | null {
  const { review: id, choice, by } = decision;
  const review = reviews.find((one) => one.id === id);
  if (!review) return notFound(reviews, id);
  if (review.status !== "open") return closed(review);
  if (review.expiresAt !== undefined && nowMs > review.expiresAt)
    return {
      reason: "review_expired",
      message: `Review "${id}" could be decided until ${isoTime(review.expiresAt)}.`,
      details: { expiresAt: review.expiresAt },
    };
  if (review.assignees?.length && !review.assignees.includes(by))
    return {
      reason: "not_an_assignee",
      message: `"${by}" may not decide review "${id}"; it is for ${review.assignees.join(", ")}.`,
      details: { assignees: review.assignees },
    };
  if (!review.choices.includes(choice))
    return {
      reason: "invalid_choice",
      message: `"${choice}" is not a choice of review "${id}". Choices: ${review.choices.join(", ")}.`,
      details: { choices: review.choices },
    };
  const vote = review.votes?.find((one) => one.by === by);
  if (vote)
    return {
      reason: "already_voted",
      message: `"${by}" has said "${vote.choice}" to review "${id}" already, at ${isoTime(vote.at)}. ${review.quorum} people must agree.`,
      details: { choice: vote.choice, at: vote.at },
    };
  return valueProblem(review, decision);
}

/**
 * The call runs exactly as approved, so what a change makes of its arguments must be valid for the tool; and so must be
 * what people say that it answered.
 */
function valueProblem({ id, editable, answers, data }: Review, { choice, value }: Decision): Failure | null {
  const missing = choice === answers?.choice ? answerProblem(answers.signature, value) : null;
  if (missing !== null)
    return {
      reason: "invalid_value",
      message: `"${choice}" of review "${id}" needs the value that the tool answered, and ${missing}. The tool is ${answers?.signature}.`,
      details: { signature: answers?.signature ?? "" },
    };
  if (editable === undefined || value === undefined || choice !== editable.choice) return null;
  const problem = editProblem(editable.parameters, argsOf(data), value);
  return problem === null
    ? null
    : {
        reason: "invalid_value",
        message: `The value given with "${choice}" of review "${id}" does not fit: ${problem}. Name only the arguments that change; null takes one away. There are: ${editable.parameters || "any"}.`,
        details: { parameters: editable.parameters },
      };
}

/** The arguments of the call that is asked about. Other questions have none. */
const argsOf = (data: Review["data"]): JsonObject => (isObject(data.args) ? data.args : {});

function notFound(reviews: readonly Review[], id: string): Failure {
  const open = openReviews(reviews).map((review) => review.id);
  const there = open.length === 0 ? "No review is open." : `Open: ${open.join(", ")}.`;
  return { reason: "review_not_found", message: `There is no review "${id}" here. ${there}`, details: { open } };
}

function closed({ id, decision }: Review): Failure {
  if (!decision)
    return {
      reason: "review_withdrawn",
      message: `Review "${id}" is no longer needed: the work took another path.`,
    };
  const { choice, by, at } = decision;
  return {
    reason: "already_decided",
    message: `Review "${id}" was already decided: "${choice}" by ${by} at ${isoTime(at)}.`,
    details: { choice, by, at },
  };
}

/**
 * Records a decision that passed `checkDecision`; throws for one that did not, which is a bug. The review stays in the
 * list with who decided what and when. With a quorum it stays open until enough people agree.
 */
export function applyDecision(
  reviews: readonly Review[],
  decision: Decision,
  nowMs: number,
): { reviews: Review[]; review: Review } {
  const refusal = checkDecision(reviews, decision, nowMs);
  const found = reviews.find((one) => one.id === decision.review);
  if (refusal || !found) throw new Error(`Decision not checked: ${refusal?.message}`);
  const review = withVote(found, { ...decision, at: nowMs });
  return { reviews: reviews.map((one) => (one.id === review.id ? review : one)), review };
}

type Vote = NonNullable<Review["decision"]>;

function withVote(review: Review, vote: Vote): Review {
  const { quorum = 1 } = review;
  if (quorum === 1) return decided(review, vote);
  const votes = [...(review.votes ?? []), vote];
  const voted = { ...review, votes };
  if (support(review, votes, vote) >= quorum) return decided(voted, vote);
  const last = review.choices.at(-1) as string;
  if (canStillAgree(voted, quorum)) return voted;
  return decided(voted, {
    review: review.id,
    choice: review.onTimeout ?? last,
    by: "quorum",
    note: `no choice can be made by ${quorum} people any more`,
    at: vote.at,
  });
}

const decided = (review: Review, decision: Vote): Review => ({
  ...review,
  status: "decided",
  decision,
  closedAt: decision.at,
});

/** People with the same choice, including their changes. */
const support = (review: Review, votes: readonly Vote[], like: Vote): number =>
  votes.filter((vote) => vote.choice === like.choice && wanted(review, vote) === wanted(review, like)).length;

/** What a vote makes of the call, so that two ways to write one change are the same. */
function wanted({ editable, data }: Review, { choice, value }: Vote): string {
  return canonical(choice === editable?.choice && isObject(data.args) ? editedArgs(data.args, value) : value);
}

function canStillAgree(review: Review, quorum: number): boolean {
  const { assignees, votes = [] } = review;
  if (!assignees?.length) return true;
  const silent = assignees.filter((name) => !votes.some((vote) => vote.by === name)).length;
  return Math.max(...votes.map((vote) => support(review, votes, vote))) + silent >= quorum;
}

/** Reviews that wait for a decision. */
export function openReviews(reviews: readonly Review[]): Review[] {
  return reviews.filter((review) => review.status === "open");
}

/**
 * Closes the open reviews, or the one with this `id`, because the work took another path. Closed ones stay unchanged.
 */
export function withdrawReviews(reviews: readonly Review[], nowMs: number, id?: string): Review[] {
  return reviews.map((review) =>
    review.status === "open" && (id === undefined || review.id === id)
      ? { ...review, status: "withdrawn", closedAt: nowMs }
      : review,
  );
}

import { defined } from "../base/defined";
import type { Failure } from "../base/failure";
import { isObject } from "../base/is-object";
import { isoTime } from "../base/iso-time";
import type { JsonObject } from "../base/json";
import { type AdmittedDecision, alreadyVoted, notAnAssignee, selfApproval } from "./admission";
import { commentProblem } from "./comments";
import { COMMENT, type Decision, HAND_OVER, WITHDRAW } from "./decision-input";
import { answerProblem, editProblem } from "./edit";
import { askedBy, handOverProblem, separatedFrom, targetOf } from "./hand-over";
import { reviewKind } from "./kinds";
import { isSameName } from "./people/spelling";
import { agree, mayStillAgree, neededPeople } from "./policy/agreement";
import {
  decidersAt,
  type PeopleOfReview,
  passedSeats,
  seatOf,
  wordsAfterHandOver,
  wordsInOwnRight,
} from "./policy/deciders";
import { agreedVotes, type RecordedDecision, type Review, wantedBy } from "./review";

/** Decisions about reviews (engine reference, section 6): whether one can be applied, and its effect. */

/**
 * Why a decision cannot be applied; null if it can. `parseDecision` parses input from outside first.
 *
 * Reasons: `review_not_found`, `already_decided`, `already_over`, `not_an_assignee`,
 * `invalid_decision`, `already_voted`, `self_approval`; for a withdrawal `not_found`, `already_decided`.
 *
 * @param decision with `as` once the represented assignee is known. Before that, a signature may still show that
 *   the principal stands for an assignee
 */
export function checkDecision(
  reviews: readonly Review[],
  decision: Decision & Pick<AdmittedDecision, "as">,
  nowMs: number,
): Failure | null {
  const { review: id, choice, by } = decision;
  const review = reviews.find((one) => one.id === id);
  if (!review) return notFound(reviews, id);
  if (choice === WITHDRAW) return withdrawalProblem(review, by);
  if (review.status !== "open") return closed(review);
  if (review.expiresAt !== undefined && nowMs > review.expiresAt)
    return {
      reason: "already_over",
      message: `Review "${id}" could be decided until ${isoTime(review.expiresAt)}.`,
      details: { path: id, kind: "review", expiresAt: review.expiresAt },
    };
  if (choice === COMMENT) return commentProblem(review, decision);
  const asked = askedBy(review);
  if (asked.separatedFrom !== undefined && isSameName(by, asked.separatedFrom)) return selfApproval(review, by);
  if (!isForAssignee(asked, decision, nowMs)) return notAnAssignee(review, by);
  if (choice === HAND_OVER) return handOverProblem(review, decision, nowMs);
  if (!review.choices.includes(choice))
    return {
      reason: "invalid_decision",
      message: `"${choice}" is not a choice of review "${id}". Choices: ${review.choices.join(", ")}.`,
      details: { path: "choice", choices: review.choices },
    };
  // The represented assignee is known only after the signature was verified.
  const isOfSeat = (one: RecordedDecision) => decision.as !== undefined && seatOf(one) === seatOf(decision);
  const vote = review.votes?.find((one) => one.by === by || isOfSeat(one));
  if (vote) return alreadyVoted(review, vote);
  return valueProblem(review, decision);
}

/**
 * Why a decision that fits its review has no use, such as a top-up that adds nothing; null if it has one. Only for
 * senders that still get an answer: recorded histories have such decisions.
 */
export function uselessProblem(reviews: readonly Review[], decision: Decision): Failure | null {
  const review = reviews.find(({ id }) => id === decision.review);
  if (review?.status !== "open") return null;
  return reviewKind(review).problem?.(review, decision) ?? null;
}

/** Whether somebody decides for an assignee, or may do so as far as the names show. */
function isForAssignee(
  asked: PeopleOfReview,
  { by, as, signature }: Parameters<typeof checkDecision>[1],
  nowMs: number,
): boolean {
  const words = decidersAt(asked, nowMs);
  if (words.length === 0) return true;
  if (as !== undefined) return words.includes(as.word);
  return signature !== undefined || words.includes(by);
}

/** A person may take a decision back as long as it had no effect. */
function withdrawalProblem(review: Review, by: string): Failure | null {
  const { id, status, startedAt } = review;
  if (!decisionBy(review, by)) {
    const message = `"${by}" has decided nothing about review "${id}" that could be taken back.`;
    return { reason: "not_found", message, details: { path: id, kind: "decision", review: id } };
  }
  const isAwaited = review.sealed !== undefined && review.decision?.choice === review.editable?.choice;
  if (status === "open" || (isAwaited && startedAt === undefined)) return null;
  const since = startedAt ?? review.closedAt;
  const when = since === undefined ? "" : ` at ${isoTime(since)}`;
  return {
    reason: "already_decided",
    message: `The work that review "${id}" decided has begun${when}: the decision cannot be taken back any more. Undo its effects: navigator undo.`,
    details: { review: id },
  };
}

/** The decision of this principal, if it stands. */
const decisionBy = (review: Review, by: string): RecordedDecision | undefined =>
  [...(review.votes ?? []), ...agreedVotes(review)].find((given) => given.by === by);

/**
 * The call runs exactly as approved, so what a change makes of its arguments must be valid for the tool; and so must be
 * the answer that people report for it.
 */
function valueProblem({ id, editable, answers, data }: Review, { choice, value }: Decision): Failure | null {
  const missing = choice === answers?.choice ? answerProblem(answers.signature, value) : null;
  if (missing !== null)
    return {
      reason: "invalid_decision",
      message: `"${choice}" of review "${id}" needs the value that the tool answered, and ${missing}. The tool is ${answers?.signature}.`,
      details: { path: "value", signature: answers?.signature ?? "" },
    };
  if (editable === undefined || value === undefined || choice !== editable.choice) return null;
  const problem = editProblem(editable.parameters, argsOf(data), value);
  return problem === null
    ? null
    : {
        reason: "invalid_decision",
        message: `The value given with "${choice}" of review "${id}" does not fit: ${problem}. Name only the arguments that change; null takes one away. There are: ${editable.parameters || "any"}.`,
        details: { path: "value", parameters: editable.parameters },
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
      reason: "already_over",
      message: `Review "${id}" is no longer needed: the work took another path.`,
      details: { path: id, kind: "review" },
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
  decision: AdmittedDecision,
  nowMs: number,
): { reviews: Review[]; review: Review } {
  const refusal = checkDecision(reviews, decision, nowMs);
  const found = reviews.find((one) => one.id === decision.review);
  if (refusal || !found) throw new Error(`Decision not checked: ${refusal?.message}`);
  const review = afterDecision(found, { ...decision, at: nowMs });
  return { reviews: reviews.map((one) => (one.id === review.id ? review : one)), review };
}

function afterDecision(review: Review, given: RecordedDecision): Review {
  switch (given.choice) {
    case WITHDRAW:
      return withoutVote(review, given);
    case COMMENT:
      return { ...review, comments: [...(review.comments ?? []), given] };
    case HAND_OVER:
      return {
        ...review,
        assignees: wordsAfterHandOver(askedBy(review), {
          from: seatOf(given),
          to: targetOf(given) as string,
          at: given.at,
        }),
        handedOver: [...(review.handedOver ?? []), given],
      };
    default:
      return withVote(review, given);
  }
}

/**
 * The review without the decision of this principal. One that was decided stays so, because its run has received the decision:
 * `revokedBy` keeps the call from being made.
 */
function withoutVote(review: Review, withdrawal: RecordedDecision): Review {
  const votes = review.votes?.filter(({ by }) => by !== withdrawal.by);
  const taken = decisionBy(review, withdrawal.by) as RecordedDecision;
  const withdrawn = [...(review.withdrawn ?? []), taken, withdrawal];
  return review.status === "open" ? { ...review, withdrawn, ...defined({ votes }) } : { ...review, withdrawn };
}

/** Who took an approval back before its call began; undefined if nobody did. */
export function revokedBy(review: Review): RecordedDecision | undefined {
  const { withdrawn = [] } = review;
  const agreed = agreedVotes(review);
  return withdrawn.find(({ choice, by }, i) => {
    const taken = withdrawn[i - 1];
    return choice === WITHDRAW && agreed.some((vote) => vote.by === by && vote.at === taken?.at);
  });
}

/** Who decides where no quorum can be reached any more. */
export const BY_QUORUM = "quorum";

function withVote(review: Review, vote: RecordedDecision): Review {
  const quorum = neededPeople(review);
  if (quorum === 1) return decided(review, vote);
  const votes = [...(review.votes ?? []), vote];
  const voted = { ...review, votes };
  if (agree(votesLike(review, votes, vote), review, wordsInOwnRight(askedBy(review), vote.at)))
    return decided(voted, vote);
  const last = review.choices.at(-1) as string;
  const { ladder = [], escalated = 0 } = review;
  if (canStillAgree(voted, vote.at, escalated < ladder.length)) return voted;
  return decided(voted, {
    review: review.id,
    choice: review.onTimeout ?? last,
    by: BY_QUORUM,
    note: `no choice can be made by ${quorum} people any more`,
    at: vote.at,
  });
}

const decided = (review: Review, decision: RecordedDecision): Review => ({
  ...review,
  status: "decided",
  decision,
  closedAt: decision.at,
});

/** The votes for the same choice, including its changes. */
const votesLike = (review: Review, votes: readonly RecordedDecision[], like: RecordedDecision): RecordedDecision[] =>
  votes.filter((vote) => vote.choice === like.choice && wantedBy(review, vote) === wantedBy(review, like));

/**
 * Whether enough of those who are asked can still agree.
 *
 * @param hasLadder whether others will be asked as well
 */
export function canStillAgree(review: Review, nowMs: number, hasLadder: boolean): boolean {
  const { votes = [] } = review;
  const asked = askedBy(review);
  const words = [...new Set([...wordsInOwnRight(asked, nowMs), ...passedSeats(asked).map(({ from }) => from)])];
  const best = Math.max(...votes.map((vote) => votesLike(review, votes, vote).length));
  return mayStillAgree(votes, best, review, words, { separatedFrom: separatedFrom(review), hasLadder });
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

import type { Failure } from "../failure";
import type { Json } from "../json";
import type { Decision, Review } from "./review";

/**
 * Why a decision cannot be taken; null when it can. Everything about it is unknown: signals are never checked on
 * their way.
 */
export function checkDecision(reviews: readonly Review[], raw: unknown, now: number): Failure | null {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    return invalid(`got ${JSON.stringify(raw) ?? "nothing"}`);
  const { review: id, choice, by, note } = raw as Partial<Decision>;
  if (typeof id !== "string" || id === "") return invalid("`review` must be the id of a review");
  if (typeof by !== "string" || by === "") return invalid("`by` must name who decides");
  if (note !== undefined && typeof note !== "string") return invalid("`note` must be a text");
  const review = reviews.find((one) => one.id === id);
  if (!review) return notFound(reviews, id);
  if (review.status !== "open") return closed(review);
  if (review.expiresAt !== undefined && now > review.expiresAt)
    return {
      reason: "review_expired",
      message: `Review "${id}" could be decided until ${new Date(review.expiresAt).toISOString()}.`,
    };
  if (review.assignees !== undefined && review.assignees.length > 0 && !review.assignees.includes(by))
    return {
      reason: "not_an_assignee",
      message: `"${by}" may not decide "${id}"; it is for ${review.assignees.join(", ")}.`,
    };
  if (typeof choice !== "string" || !review.choices.includes(choice))
    return {
      reason: "invalid_choice",
      message: `"${String(choice)}" is no choice of "${id}"; choose one of ${review.choices.join(", ")}.`,
      details: { choices: review.choices },
    };
  return null;
}

function invalid(problem: string): Failure {
  return { reason: "invalid_decision", message: `A decision is {review, choice, by, note?, value?}: ${problem}.` };
}

function notFound(reviews: readonly Review[], id: string): Failure {
  const open = openReviews(reviews).map((one) => one.id);
  return {
    reason: "review_not_found",
    message: `There is no review "${id}" here. ${open.length === 0 ? "None is open." : `Open: ${open.join(", ")}.`}`,
    details: { open },
  };
}

function closed(review: Review): Failure {
  const { decision } = review;
  if (!decision)
    return {
      reason: "review_withdrawn",
      message: `Review "${review.id}" is not needed any more: the work went on another way.`,
    };
  return {
    reason: "already_decided",
    message: `Review "${review.id}" was decided already: "${decision.choice}" by ${decision.by} at ${new Date(decision.at).toISOString()}.`,
    details: { choice: decision.choice, by: decision.by, at: decision.at },
  };
}

/** Takes a decision that `checkDecision` let pass. */
export function applyDecision(
  reviews: readonly Review[],
  decision: Decision,
  now: number,
): { reviews: Review[]; review: Review } {
  const found = reviews.find((one) => one.id === decision.review) as Review;
  const recorded = {
    review: decision.review,
    choice: decision.choice,
    by: decision.by,
    at: now,
    ...(decision.note === undefined ? {} : { note: decision.note }),
    ...(decision.value === undefined ? {} : { value: decision.value as Json }),
  };
  const review: Review = { ...found, status: "decided", decision: recorded, closedAt: now };
  return { reviews: reviews.map((one) => (one.id === review.id ? review : one)), review };
}

export function openReviews(reviews: readonly Review[]): Review[] {
  return reviews.filter((review) => review.status === "open");
}

/** Closes what asks about a step that the task has left. */
export function withdrawReviews(reviews: readonly Review[], now: number): Review[] {
  return reviews.map((review) =>
    review.status === "open" ? { ...review, status: "withdrawn", closedAt: now } : review,
  );
}

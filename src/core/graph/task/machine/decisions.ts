import { ok, type Result } from "../../../base/failure";
import { applyDecision } from "../../../review/decide";
import type { Decision, Review } from "../../../review/review";
import type { Definition } from "../../definition/schema";
import type { Task } from "../task";
import { taskAfter } from "../task-reviews";
import type { TaskState } from "./task-state";

/** Decisions about the reviews of one task: each moves the task (engine reference, section 6). */

/** Whether a person was asked about the present step and has not decided yet. */
export function isAsked({ task, reviews }: Pick<TaskState, "task" | "reviews">): boolean {
  return reviews.open().some((review) => review.data.step === task.currentStep);
}

/**
 * A decision that can be taken now, or why not. Checked to the end before anything changes, so that no decision is half
 * taken.
 */
export function readDecision(state: TaskState, raw: unknown, nowMs: number): Result<Decision> {
  const decision = state.reviews.decision(raw, nowMs);
  if (!decision.ok) return decision;
  const next = afterDecision(state, decision.value, nowMs);
  return next.ok ? decision : next;
}

/** Takes a decision that was checked, and moves the task as it says. Gives the review. */
export function takeDecision(state: TaskState, decision: Decision, nowMs: number): Result<Review> {
  const { review } = applyDecision(state.reviews.all(), decision, nowMs);
  // With a quorum it may need more people, and what they agreed on may be another choice than this one.
  const next = review.decision === undefined ? null : afterDecision(state, review.decision, nowMs);
  if (next && !next.ok) return next;
  state.reviews.decide(decision, nowMs);
  if (next) state.arrive(next.value, nowMs);
  else state.changed();
  return ok(review);
}

/** Takes the defaults that are due, and reminds people. */
export function passReviewTime(state: TaskState, nowMs: number): void {
  const { timedOut, reminded } = state.reviews.passTime(nowMs);
  for (const review of reminded) state.notify("review_reminder", review);
  for (const review of timedOut) {
    const next = afterDecision(state, review.decision as Decision, nowMs);
    if (next.ok) state.arrive(next.value, nowMs);
    else {
      // A default from which no edge leads on is no way out: then it waits for people after all.
      state.reviews.reopen(review.id);
      state.changed();
    }
  }
}

function afterDecision({ definition, task, reviews }: TaskState, decision: Decision, nowMs: number): Result<Task> {
  const review = reviews.get(decision.review) as Review;
  return taskAfter(definition as Definition, task, review, decision, nowMs);
}

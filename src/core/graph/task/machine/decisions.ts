import { ok, type Result } from "../../../base/failure";
import type { AdmittedDecision } from "../../../review/admission";
import { applyDecision } from "../../../review/decide";
import { HAND_OVER, isVote } from "../../../review/decision-input";
import type { Decision, Review } from "../../../review/review";
import type { Verification } from "../../../review/verification";
import type { Definition } from "../../definition/schema";
import type { Task } from "../task";
import { taskAfter } from "../task-reviews";
import type { TaskState } from "./task-state";

/** Decisions about the reviews of one task: each moves the task (engine reference, section 6). */

/** Whether a person was asked about the present step and has not decided yet. */
export function isAsked({ task, reviews }: Pick<TaskState, "task" | "reviews">): boolean {
  return reviews.open().some((review) => review.data.step === task.currentStep);
}

/** A decision that can be applied now, or why not. It is checked completely before anything changes. */
export function readDecision(state: TaskState, raw: unknown, nowMs: number): Result<Decision> {
  const decision = state.reviews.decision(raw, nowMs);
  if (!decision.ok || !isVote(decision.value)) return decision;
  const next = afterDecision(state, decision.value, nowMs);
  return next.ok ? decision : next;
}

/** A decision that counts, after a worker has found out who made it; or why it does not. */
export function admittedDecision(
  state: TaskState,
  raw: Decision,
  verification: Verification,
  nowMs: number,
): Result<AdmittedDecision> {
  const checked = readDecision(state, raw, nowMs);
  return checked.ok ? state.reviews.admit(checked.value, verification, nowMs) : checked;
}

/** Applies a checked decision and moves the task. Returns the review. */
export function takeDecision(state: TaskState, decision: AdmittedDecision, nowMs: number): Result<Review> {
  const { review } = applyDecision(state.reviews.all(), decision, nowMs);
  // With a quorum it may need more people, and their common choice may differ from this one.
  const next = review.decision === undefined ? null : afterDecision(state, review.decision, nowMs);
  if (next && !next.ok) return next;
  state.reviews.decide(decision, nowMs);
  if (decision.choice === HAND_OVER) state.notify("review_handed_over", review);
  if (next) state.arrive(next.value, nowMs);
  else state.changed();
  return ok(review);
}

/** Takes the defaults that are due, and sends reminders. */
export function passReviewTime(state: TaskState, nowMs: number): void {
  const { timedOut, reminded, escalated } = state.reviews.passTime(nowMs);
  for (const review of escalated) state.notify("review_escalated", review);
  for (const review of reminded) state.notify("review_reminder", review);
  for (const review of timedOut) {
    const next = afterDecision(state, review.decision as Decision, nowMs);
    if (next.ok) state.arrive(next.value, nowMs);
    else {
      // A default without an edge cannot continue the task, so it waits for people after all.
      state.reviews.reopen(review.id);
      state.changed();
    }
  }
}

function afterDecision({ definition, task, reviews }: TaskState, decision: Decision, nowMs: number): Result<Task> {
  const review = reviews.get(decision.review) as Review;
  return taskAfter(definition as Definition, task, review, decision, nowMs);
}

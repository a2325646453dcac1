import type { Failure, Result } from "../base/failure";
import { reviewId } from "../base/ids";
import { applyDecision, checkDecision, openReviews, withdrawReviews } from "./decide";
import { type Decision, parseDecision } from "./decision-input";
import { openReview, type ReviewRequest } from "./request";
import type { Review } from "./review";
import { nextDue, passTime } from "./timers";

/** Closed reviews that a run or plan keeps for people to read. */
const MAX_KEPT = 50;

/**
 * The reviews of one run, plan or task: the questions and the decisions. It only changes state; its owner waits, sends
 * reminders and continues. Times in ms since 1970.
 */
export class ReviewBook {
  /**
   * @param count the number of reviews so far: it numbers the next
   * @param kept how many closed reviews stay in the book
   */
  constructor(
    private reviews: Review[] = [],
    private count = reviews.length,
    private readonly kept = MAX_KEPT,
  ) {}

  all(): Review[] {
    return this.reviews;
  }

  open(): Review[] {
    return openReviews(this.reviews);
  }

  get(id: string): Review | undefined {
    return this.reviews.find((review) => review.id === id);
  }

  /** The number of the review that is opened next, from 1. */
  get nextNumber(): number {
    return this.count + 1;
  }

  /** Adds an open review. The oldest closed ones are dropped if there are too many. */
  add(review: Review): void {
    this.count += 1;
    const closed = this.reviews.filter(({ status }) => status !== "open");
    const tooOld = new Set(closed.slice(0, Math.max(0, closed.length - this.kept)));
    this.reviews = [...this.reviews.filter((one) => !tooOld.has(one)), review];
  }

  /**
   * Opens the review that a run or plan requests.
   *
   * @param scope the workflow id: the review's id begins with it, so that the workflow can be found from the id
   */
  request(request: ReviewRequest, scope: string, nowMs: number): Review {
    const review = openReview(request, reviewId(scope, request.about, this.nextNumber), nowMs);
    this.add(review);
    return review;
  }

  /** A decision that can be applied now. `raw` may be anything: signals are not validated on their way. */
  decision(raw: unknown, nowMs: number): Result<Decision> {
    const decision = parseDecision(raw);
    if (!decision.ok) return decision;
    const fail: Failure | null = checkDecision(this.reviews, decision.value, nowMs);
    return fail ? { ok: false, fail } : decision;
  }

  /** Applies a checked decision. Returns the review, which stays open until its quorum agrees. */
  decide(decision: Decision, nowMs: number): Review {
    const { reviews, review } = applyDecision(this.reviews, decision, nowMs);
    this.reviews = reviews;
    return review;
  }

  /** Closes an open review, or all of them: the decision is no longer needed. */
  withdraw(nowMs: number, id?: string): void {
    this.reviews = withdrawReviews(this.reviews, nowMs, id);
  }

  /** When the next default or reminder is due; null if none is. */
  nextDue(): number | null {
    return nextDue(this.reviews);
  }

  /** Applies the defaults that are due. Returns the reviews that they decided, and the reviews with a reminder. */
  passTime(nowMs: number): { timedOut: Review[]; reminded: Review[] } {
    const { reviews, timedOut, reminded } = passTime(this.reviews, nowMs);
    this.reviews = reviews;
    return { timedOut, reminded };
  }

  /** Opens a review again that its default decided, without that default: now it waits for people. */
  reopen(id: string): void {
    this.reviews = this.reviews.map((review) => {
      if (review.id !== id) return review;
      const { onTimeout: _, expiresAt: __, decision: ___, closedAt: ____, ...rest } = review;
      return { ...rest, status: "open" };
    });
  }

  /** For the run that continues as new. */
  state(): { reviews: Review[]; count: number } {
    return { reviews: this.reviews, count: this.count };
  }
}

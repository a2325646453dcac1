import type { Failure, Result } from "../base/failure";
import { openReview, type ReviewRequest } from "./ask";
import { applyDecision, checkDecision, openReviews } from "./decide";
import { type Decision, parseDecision } from "./decision-input";
import type { Review } from "./review";
import { nextDue, passTime } from "./time";

/** Closed reviews that are kept for people to look at. */
const MAX_KEPT = 50;

/** The reviews of one run. Times in ms since 1970. */
export class ReviewBook {
  constructor(
    private reviews: Review[] = [],
    /** How many there ever were: it numbers the next. */
    private count = reviews.length,
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

  /** @param scope the workflow id: the review's id begins with it, so that who holds the id finds the workflow */
  ask(request: ReviewRequest, scope: string, nowMs: number): Review {
    this.count += 1;
    const review = openReview(request, `${scope}/${request.about}/${this.count}`, nowMs);
    const closed = this.reviews.filter(({ status }) => status !== "open");
    const tooOld = new Set(closed.slice(0, Math.max(0, closed.length - MAX_KEPT)));
    this.reviews = [...this.reviews.filter((one) => !tooOld.has(one)), review];
    return review;
  }

  /** A decision that can be taken now. Everything about `raw` is unknown: signals are never checked on their way. */
  decision(raw: unknown, nowMs: number): Result<Decision> {
    const decision = parseDecision(raw);
    if (!decision.ok) return decision;
    const fail: Failure | null = checkDecision(this.reviews, decision.value, nowMs);
    return fail ? { ok: false, fail } : decision;
  }

  decide(decision: Decision, nowMs: number): Review {
    const { reviews, review } = applyDecision(this.reviews, decision, nowMs);
    this.reviews = reviews;
    return review;
  }

  /** Nobody needs it any more. */
  withdraw(id: string, nowMs: number): void {
    this.reviews = this.reviews.map((review) =>
      review.id === id && review.status === "open" ? { ...review, status: "withdrawn", closedAt: nowMs } : review,
    );
  }

  nextDue(): number | null {
    return nextDue(this.reviews);
  }

  /** Takes defaults that are due; answers whom to remind. */
  passTime(nowMs: number): Review[] {
    const { reviews, reminded } = passTime(this.reviews, nowMs);
    this.reviews = reviews;
    return reminded;
  }

  state(): { reviews: Review[]; count: number } {
    return { reviews: this.reviews, count: this.count };
  }
}

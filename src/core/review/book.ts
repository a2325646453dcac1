import { defined } from "../base/defined";
import { type Failure, failed, type Result } from "../base/failure";
import { reviewId } from "../base/ids";
import { isoTime } from "../base/iso-time";
import { type AdmittedDecision, admitDecision } from "./admission";
import { approvalOf, expiryProblem, mayBegin } from "./approval";
import { applyDecision, checkDecision, openReviews, revokedBy, withdrawReviews } from "./decide";
import { type Decision, parseDecision } from "./decision-input";
import type { ReviewRequest } from "./kinds";
import { neededPeople } from "./policy/agreement";
import { withKind } from "./recorded-kind";
import { openReview } from "./request";
import type { Review } from "./review";
import { sealOf } from "./seal";
import { nextDue, passTime } from "./timers";
import type { Verification } from "./verification";

/** Closed reviews that a run or plan keeps for people to read. */
const MAX_KEPT = 50;

/**
 * The reviews of one run, plan or task: the questions and the decisions. It only changes state; its owner waits, sends
 * reminders and continues. Times in ms since 1970.
 */
export class ReviewBook {
  private reviews: Review[];

  /**
   * @param count the number of reviews so far: it numbers the next
   * @param kept how many closed reviews stay in the book
   */
  constructor(
    reviews: Review[] = [],
    private count = reviews.length,
    private readonly kept = MAX_KEPT,
    /** A text that was never used before, for the seal of a review; absent: reviews have no seal, as in a mission in memory. */
    private readonly nonce?: () => string,
    /** Who asks for its reviews, where that is known. */
    private readonly requestedBy?: string,
  ) {
    this.reviews = reviews.map(withKind);
  }

  all(): Review[] {
    return this.reviews;
  }

  open(): Review[] {
    return openReviews(this.reviews);
  }

  get(id: string): Review | undefined {
    return this.reviews.find((review) => review.id === id);
  }

  /** Changes what is noted about a review, and nothing that people decide about. */
  change(id: string, changed: (review: Review) => Review): void {
    this.reviews = this.reviews.map((review) => (review.id === id ? changed(review) : review));
  }

  /** The number of the review that is opened next, from 1. */
  get nextNumber(): number {
    return this.count + 1;
  }

  /** Seals an open review and adds it. The oldest closed ones are dropped if there are too many. */
  add(asked: Review): Review {
    const review = this.sealed(withSealedPeople(this.requested(asked)));
    this.count += 1;
    // Whether it was taken back must be known as long as its call may begin.
    const closed = this.reviews.filter((one) => one.status !== "open" && !mayBegin(one, review.createdAt));
    const tooOld = new Set(closed.slice(0, Math.max(0, closed.length - this.kept)));
    this.reviews = [...this.reviews.filter((one) => !tooOld.has(one)), review];
    return review;
  }

  private requested(review: Review): Review {
    const { requestedBy } = this;
    return requestedBy === undefined ? review : { ...review, requestedBy };
  }

  private sealed(review: Review): Review {
    const nonce = this.nonce?.();
    return nonce === undefined ? review : { ...review, nonce, seal: sealOf(review, nonce) };
  }

  /**
   * Opens the review that a run or plan requests.
   *
   * @param scope the workflow id: the review's id begins with it, so that the workflow can be found from the id
   */
  request(request: ReviewRequest, scope: string, nowMs: number): Review {
    return this.add(openReview(request, reviewId(scope, request.about, this.nextNumber), nowMs));
  }

  /** A decision that can be applied now. `raw` may be anything: signals are not validated on their way. */
  decision(raw: unknown, nowMs: number): Result<Decision> {
    const decision = parseDecision(raw);
    if (!decision.ok) return decision;
    const fail: Failure | null = checkDecision(this.reviews, decision.value, nowMs);
    return fail ? { ok: false, fail } : decision;
  }

  /** A decision that counts, after a worker has found out who made it: as `decision`, and the reasons of `admitDecision`. */
  admit(raw: Decision, verification: Verification, nowMs: number): Result<AdmittedDecision> {
    const checked = this.decision(raw, nowMs);
    if (!checked.ok) return checked;
    const review = this.get(checked.value.review) as Review;
    const admitted = admitDecision(review, checked.value, verification, nowMs);
    if (!admitted.ok) return admitted;
    const fail = checkDecision(this.reviews, admitted.value, nowMs);
    return fail ? { ok: false, fail } : admitted;
  }

  /**
   * Why the call that a review approved may not begin; null if it may. Reasons: `approval_revoked`, `seal_broken`. Of a
   * review that was dropped nothing is known against the call.
   */
  startProblem(id: string, seal: string, nowMs: number): Failure | null {
    const review = this.get(id);
    if (review === undefined) return null;
    if (review.seal !== seal || review.decision === undefined)
      return failed("seal_broken", `Review "${id}" has not approved this call.`, { review: id, seal }).fail;
    const revoked = revokedBy(review);
    if (revoked !== undefined)
      return failed("approval_revoked", `${revoked.by} took the approval back at ${isoTime(revoked.at)}.`, {
        review: id,
        by: revoked.by,
      }).fail;
    const approval = approvalOf(review);
    return approval === undefined ? null : expiryProblem(approval, String(review.data.tool), nowMs);
  }

  /** The call that a review approved begins now: the approval cannot be taken back any more. */
  start(id: string, nowMs: number): void {
    this.reviews = this.reviews.map((one) => (one.id === id ? { ...one, startedAt: one.startedAt ?? nowMs } : one));
  }

  /** Applies a checked decision. Returns the review, which stays open until its quorum agrees. */
  decide(decision: AdmittedDecision, nowMs: number): Review {
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

  /** Applies what is due. Returns the reviews that defaults decided, those with a reminder, and those that ask others as well. */
  passTime(nowMs: number): { timedOut: Review[]; reminded: Review[]; escalated: Review[] } {
    const { reviews, ...passed } = passTime(this.reviews, nowMs);
    this.reviews = reviews;
    return passed;
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

/** The seal of a call covers who asked for it, and how many people must agree. */
function withSealedPeople(review: Review): Review {
  const { sealed, requestedBy } = review;
  if (sealed === undefined) return review;
  const needed = neededPeople(review);
  const people = defined({ requested_by: requestedBy, quorum: needed > 1 ? needed : undefined });
  return { ...review, sealed: { ...sealed, ...people } };
}

import type { Result } from "../../core/base/failure";
import type { Definition } from "../../core/graph/definition/schema";
import type { Task } from "../../core/graph/task/task";
import { taskAfter } from "../../core/review/after-decision";
import { ReviewBook } from "../../core/review/book";
import { applyDecision } from "../../core/review/decide";
import type { Decision, Review } from "../../core/review/review";
import type { escalationReview, ReviewOptions } from "../../core/review/task-reviews";
import { valueOrReject } from "../failures";
import { type DecidableReviews, notifyPeople } from "../reviews";

/** What the reviews of a task need of it. */
export interface ReviewedTask {
  readonly task: Task;
  readonly definition: Definition | undefined;
  /** Goes on as a decision says. */
  arrive(next: Task): void;
  /** Something that pages and lists show has changed. */
  changed(): void;
}

/** The reviews of one task: opened, decided, reminded of, and decided by their default when time is up. */
export class TaskReviews implements DecidableReviews {
  /** Notifications that reached nobody. */
  unheard = 0;
  private readonly book: ReviewBook;

  constructor(
    private readonly owner: ReviewedTask,
    reviews: Review[],
  ) {
    this.book = new ReviewBook(reviews, reviews.length, Number.POSITIVE_INFINITY);
  }

  all(): Review[] {
    return this.book.all();
  }

  get open(): Review[] {
    return this.book.open();
  }

  /** Whether a person has been asked about the present step and has not answered yet. */
  asked(): boolean {
    return this.open.some((review) => review.data.step === this.owner.task.currentStep);
  }

  ask(review: typeof escalationReview, options: ReviewOptions = {}): void {
    const { definition, task } = this.owner;
    const opened = review(definition as Definition, task, this.book.nextNumber, Date.now(), options);
    this.book.add(opened);
    this.owner.changed();
    if (opened.assignees || opened.quorum || opened.remindMs || opened.onTimeout) this.notify("review_opened", opened);
  }

  /** Checked to the end before anything changes, so that no decision is half taken. */
  decision(raw: unknown): Result<Decision> {
    const decision = this.book.decision(raw, Date.now());
    if (!decision.ok) return decision;
    const next = this.after(decision.value);
    return next.ok ? decision : next;
  }

  decide(decision: Decision): Review {
    const { review } = applyDecision(this.book.all(), decision, Date.now());
    // With a quorum it may need more people, and what they agreed on may be another choice than this one.
    const next = review.decision === undefined ? null : valueOrReject(this.after(review.decision));
    this.book.decide(decision, Date.now());
    if (next) this.owner.arrive(next);
    else this.owner.changed();
    return review;
  }

  withdraw(): void {
    this.book.withdraw(Date.now());
  }

  nextDue(): number | null {
    return this.book.nextDue();
  }

  passTime(): void {
    const { timedOut, reminded } = this.book.passTime(Date.now());
    for (const review of reminded) this.notify("review_reminder", review);
    for (const review of timedOut) this.takeDefault(review);
  }

  /** A default from which no edge leads on is no way out: then it waits for people after all. */
  private takeDefault(review: Review): void {
    const next = this.after(review.decision as Decision);
    if (next.ok) return this.owner.arrive(next.value);
    this.book.reopen(review.id);
    this.owner.changed();
  }

  /** Who is named, or waited for, hears of it; others look into the inbox. */
  private notify(event: "review_opened" | "review_reminder", review: Review): void {
    notifyPeople(event, review, () => {
      this.unheard += 1;
      this.owner.changed();
    });
  }

  private after(decision: Decision): Result<Task> {
    const { definition, task } = this.owner;
    const review = this.book.get(decision.review) as Review;
    return taskAfter(definition as Definition, task, review, decision, Date.now());
  }
}

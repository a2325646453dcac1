import type { Result } from "../../core/base/failure";
import type { Definition } from "../../core/graph/definition/schema";
import type { Task } from "../../core/graph/task/task";
import { taskAfter } from "../../core/review/after-decision";
import { applyDecision, checkDecision, openReviews, withdrawReviews } from "../../core/review/decide";
import { parseDecision } from "../../core/review/decision-input";
import type { Decision, Review } from "../../core/review/review";
import type { escalationReview, ReviewOptions } from "../../core/review/task-reviews";
import { nextDue, passTime } from "../../core/review/time";
import { tellPeople } from "../agent/run-reviews";
import { checked } from "../failures";

/** What the reviews of a task need of it. */
export interface ReviewedTask {
  readonly task: Task;
  readonly definition: Definition | undefined;
  /** Goes on as a decision says. */
  arrive(next: Task): void;
  /** Something that pages and lists show has changed. */
  changed(): void;
}

/** The questions that one task asks people: opened, decided, reminded of, and answered by their default when time is up. */
export class TaskReviews {
  /** Notifications that reached nobody. */
  unheard = 0;

  constructor(
    private readonly owner: ReviewedTask,
    public list: Review[],
  ) {}

  get open(): Review[] {
    return openReviews(this.list);
  }

  /** Whether a person has been asked about the present step and has not answered yet. */
  asked(): boolean {
    return this.open.some((review) => review.data.step === this.owner.task.currentStep);
  }

  ask(review: typeof escalationReview, options: ReviewOptions = {}): void {
    const { definition, task } = this.owner;
    const opened = review(definition as Definition, task, this.list.length + 1, Date.now(), options);
    this.list = [...this.list, opened];
    this.owner.changed();
    if (opened.assignees || opened.quorum || opened.remindMs || opened.onTimeout) this.tell("review_opened", opened);
  }

  /** A decision that can be taken: checked to the end before anything changes, so that none is half taken. */
  decision(raw: unknown): Result<Decision> {
    const decision = parseDecision(raw);
    if (!decision.ok) return decision;
    const fail = checkDecision(this.list, decision.value, Date.now());
    if (fail) return { ok: false, fail };
    const next = this.after(decision.value);
    return next.ok ? decision : next;
  }

  decide(decision: Decision): Review {
    const { reviews, review } = applyDecision(this.list, decision, Date.now());
    // With a quorum it may need more people, and what they agreed on may be another choice than this one.
    const next = review.decision === undefined ? null : checked(this.after(review.decision));
    this.list = reviews;
    if (next) this.owner.arrive(next);
    else this.owner.changed();
    return review;
  }

  withdraw(): void {
    this.list = withdrawReviews(this.list, Date.now());
  }

  nextDue(): number | null {
    return nextDue(this.list);
  }

  passTime(): void {
    const { reviews, timedOut, reminded } = passTime(this.list, Date.now());
    this.list = reviews;
    for (const review of reminded) this.tell("review_reminder", review);
    for (const over of timedOut) this.takeDefault(over);
  }

  /** A default from which no edge leads on is no way out: then it waits for people after all. */
  private takeDefault(over: Review): void {
    const next = this.after(over.decision as Decision);
    if (next.ok) return this.owner.arrive(next.value);
    const { onTimeout: _, expiresAt: __, decision: ___, closedAt: ____, ...rest } = over;
    this.list = this.list.map((review) => (review.id === over.id ? { ...rest, status: "open" } : review));
    this.owner.changed();
  }

  /** Who is named, or waited for, hears of it; others look into the inbox. */
  private tell(event: "review_opened" | "review_reminder", review: Review): void {
    tellPeople(event, review, () => {
      this.unheard += 1;
      this.owner.changed();
    });
  }

  private after(decision: Decision): Result<Task> {
    const { definition, task } = this.owner;
    const review = this.list.find((one) => one.id === decision.review) as Review;
    return taskAfter(definition as Definition, task, review, decision, Date.now());
  }
}

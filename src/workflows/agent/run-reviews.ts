import { condition, isCancellation, setHandler, workflowInfo } from "@temporalio/workflow";
import { failed, ok, type Result } from "../../core/base/failure";
import type { ReviewNotification } from "../../core/calls/effects";
import { type ReviewRequest, type Verdict, verdictOf } from "../../core/review/ask";
import type { ReviewBook } from "../../core/review/book";
import type { Decision, Review } from "../../core/review/review";
import { notifyCalls } from "../activity-calls";
import { checked } from "../failures";
import { decide, decideSignal, reviewsQuery } from "../messages";

/** The people of one run: asks them, waits for days if need be, reminds them, and takes the default when time is up. */
export class People {
  /** Notifications that reached nobody. */
  unheard = 0;

  constructor(
    readonly book: ReviewBook,
    /** The number of open reviews has changed, or what is known of one. */
    private readonly changed: () => void,
  ) {}

  decide(decision: Decision): Review {
    const review = this.book.decide(decision, Date.now());
    this.changed();
    return review;
  }

  async ask(request: ReviewRequest, deadline_ms: number | undefined): Promise<Result<Verdict>> {
    const { id } = this.book.ask(request, workflowInfo().workflowId, Date.now());
    this.changed();
    this.tell("review_opened", id);
    for (;;) {
      await this.untilDecidedOrDue(id, deadline_ms);
      const verdict = verdictOf(this.book.get(id) as Review);
      if (verdict) return ok(verdict);
      if (deadline_ms !== undefined && Date.now() >= deadline_ms) {
        this.book.withdraw(id, Date.now());
        this.changed();
        return failed("mission_timeout", "The mission's time limit has passed; nobody had decided.");
      }
      for (const review of this.book.passTime(Date.now())) this.tell("review_reminder", review.id);
      this.changed();
    }
  }

  private async untilDecidedOrDue(id: string, deadline_ms: number | undefined): Promise<void> {
    const times = [this.book.nextDue(), deadline_ms ?? null].filter((time) => time !== null);
    const decided = () => this.book.get(id)?.status !== "open";
    if (times.length === 0) return condition(decided);
    await condition(decided, Math.max(1, Math.min(...times) - Date.now()));
  }

  private tell(event: ReviewNotification["event"], id: string): void {
    tellPeople(event, this.book.get(id) as Review, () => {
      this.unheard += 1;
      this.changed();
    });
  }
}

/** Decisions as updates, which are answered, and as signals, which cannot be: a bad or late one is counted instead of failing the run. */
export function listenForDecisions(people: People, refused: () => void): void {
  setHandler(reviewsQuery, () => people.book.all());
  const verdict = (raw: unknown) => people.book.decision(raw, Date.now());
  setHandler(decide, (raw) => people.decide(checked(verdict(raw))), {
    validator: (raw) => void checked(verdict(raw)),
  });
  setHandler(decideSignal, (raw) => {
    const read = verdict(raw);
    if (read.ok) people.decide(read.value);
    else refused();
  });
}

/** Nobody waits for it: a person finds the review in the inbox anyway. */
export function tellPeople(event: ReviewNotification["event"], review: Review, unheard: () => void): void {
  const { id, title, source, choices, assignees = [], reminders = 0 } = review;
  notifyCalls(`${event.replace("_", " ")}: ${title}`)
    .notify({
      event,
      workflow_id: workflowInfo().workflowId,
      review: { id, title, source, choices, assignees, reminders },
    })
    .catch((error: unknown) => {
      if (!isCancellation(error)) unheard();
    });
}

import { condition, isCancellation, setHandler, uuid4, workflowInfo } from "@temporalio/workflow";
import { type Failure, failed, ok, type Result } from "../core/base/failure";
import { hasTexts } from "../core/base/is-object";
import type { AdmittedDecision } from "../core/review/admission";
import { ReviewBook } from "../core/review/book";
import { uselessProblem } from "../core/review/decide";
import { HAND_OVER, lengthProblem, parseDecision } from "../core/review/decision-input";
import type { ReviewEvent } from "../core/review/delivery";
import type { ReviewRequest } from "../core/review/kinds";
import { type FinalDecision, finalDecision } from "../core/review/request";
import type { Decision, Review } from "../core/review/review";
import type { Verification } from "../core/review/verification";
import { bySignal, type DecisionVerifier } from "./decision-verifier";
import { asApplicationFailure, valueOrReject } from "./failures";
import { decide, decideSignal, reviewsQuery } from "./messages";
import { Outbox } from "./outbox";
import type { RunPause } from "./run-pause";

/**
 * How reviews reach people from a workflow (engine reference, section 6). The book in the core stores them. A run or a
 * plan asks and waits here (`RequestedReviews`); a task waits in its own loop, and shares the messages and the
 * notifications.
 */

/** Reviews that messages can decide. */
interface DecidableReviews {
  all(): Review[];
  /** A decision has come: called before anything else happens with it. */
  onDecision?: (() => void) | undefined;
  /** Checks a decision: the decision, or the reason of a refusal. The input can be anything, because signals are not checked earlier. */
  decision(raw: unknown): Result<Decision>;
  /** A decision that counts, after a worker has found out who made it. */
  admit(decision: Decision, verification: Verification): Result<AdmittedDecision>;
  /** Applies a checked decision. */
  decide(decision: AdmittedDecision): Review;
}

/**
 * Handles decisions as updates, which are answered, and as signals, which cannot be: `refused` counts a signal that
 * decides nothing, instead of failing the workflow. A worker finds out who decided before a decision counts.
 */
export function listenForDecisions(reviews: DecidableReviews, verifier: DecisionVerifier, refused: () => void): void {
  const verified = async (decision: Decision): Promise<Result<Review>> => {
    const asked = reviews.all().find(({ id }) => id === decision.review);
    const verification = await verifier.verify(decision, asked);
    // Others may have decided during the verification.
    const admitted = reviews.admit(decision, verification);
    return admitted.ok ? ok(reviews.decide(admitted.value)) : admitted;
  };
  setHandler(reviewsQuery, () => reviews.all());
  setHandler(
    decide,
    (raw) => {
      reviews.onDecision?.();
      return verified(valueOrReject(reviews.decision(raw))).then(valueOrReject);
    },
    {
      validator: (raw) => {
        const tooLong = lengthProblem(raw);
        if (tooLong !== null) throw asApplicationFailure(tooLong);
        const decision = valueOrReject(reviews.decision(raw));
        const useless = uselessProblem(reviews.all(), decision);
        if (useless !== null) throw asApplicationFailure(useless);
      },
    },
  );
  setHandler(decideSignal, (raw) => {
    reviews.onDecision?.();
    if (!hasTexts(raw, ["review", "choice", "by"])) return refused();
    if (lengthProblem(raw) !== null) return refused();
    const decision = reviews.decision(raw);
    // What it answers may be on its way: a yes is taken back that a worker still looks at.
    const readDecision = decision.ok || !verifier.isBusy ? decision : parseDecision(raw);
    if (!readDecision.ok) return refused();
    return takenOrRefused(verified(bySignal(readDecision.value)), refused);
  });
}

/**
 * Counts a signal that decides nothing. If the workflow was cancelled during the verification, the count does not
 * matter.
 */
export const takenOrRefused = (verified: Promise<Result<unknown>>, refused: () => void): Promise<void> =>
  verified.then(
    ({ ok: isTaken }) => (isTaken ? undefined : refused()),
    (error: unknown) => {
      if (!isCancellation(error)) throw error;
    },
  );

/** The sealed reviews of a run, as the run before it had them. */
export function reviewBook(
  { reviews = [], count = reviews.length }: { reviews?: Review[] | undefined; count?: number | undefined },
  requestedBy?: string,
): ReviewBook {
  return new ReviewBook(reviews, count, undefined, uuid4, requestedBy);
}

const NEVER = () => false;

/** The reviews of a run or a plan: it waits, for days if needed, reminds people, and takes the default when the time is over. */
export class RequestedReviews implements DecidableReviews {
  private readonly outbox: Outbox;
  onDecision: (() => void) | undefined;
  /**
   * A decision takes effect only when the run is not paused. During a pause the review stays open, so another run finds
   * it.
   */
  pause: RunPause | undefined;
  /** The open review of each place that asked for one: a call that is made again after continue-as-new finds it. */
  private readonly places: Map<string, string>;

  constructor(
    readonly book: ReviewBook,
    /** Called when the number of open reviews changed, or a review itself. */
    private readonly changed: () => void,
    places: [string, string][] = [],
  ) {
    this.places = new Map(places);
    this.outbox = new Outbox(book, changed);
    this.outbox.resume();
  }

  /** For the run that continues as new. */
  state(): { reviews: Review[]; count: number; places?: [string, string][] } {
    return { ...this.book.state(), ...(this.places.size === 0 ? {} : { places: [...this.places] }) };
  }

  all(): Review[] {
    return this.book.all();
  }

  decision(raw: unknown): Result<Decision> {
    return this.book.decision(raw, Date.now());
  }

  admit(decision: Decision, verification: Verification): Result<AdmittedDecision> {
    return this.book.admit(decision, verification, Date.now());
  }

  startProblem(review: string, seal: string): Failure | null {
    return this.book.startProblem(review, seal, Date.now());
  }

  start(review: string): void {
    this.book.start(review, Date.now());
  }

  decide(decision: AdmittedDecision): Review {
    const review = this.book.decide(decision, Date.now());
    if (decision.choice === HAND_OVER) this.notify("review_handed_over", review.id);
    this.changed();
    return review;
  }

  /**
   * Opens a review and waits until it is decided.
   *
   * @param deadline_ms ms since 1970. When it passes, the review is withdrawn and the result is `mission_timeout`.
   * @param place names the question within the run: asked again, it waits for the same review
   */
  async request(
    request: ReviewRequest,
    deadline_ms: number | undefined,
    place?: string,
  ): Promise<Result<FinalDecision>> {
    const id = this.reviewAt(place, request);
    const answer = (await this.answer(id, deadline_ms, NEVER)) as Result<FinalDecision>;
    if (place !== undefined) this.places.delete(place);
    return answer;
  }

  /** The same without a deadline. Null: `stop` was true before the decision, and the review waits at its place. */
  async requestUnless(stop: () => boolean, request: ReviewRequest, place: string): Promise<FinalDecision | null> {
    const answer = await this.answer(this.reviewAt(place, request), undefined, stop);
    if (answer === null) return null;
    this.places.delete(place);
    // Without a deadline nothing but a decision ends it.
    if (!answer.ok) throw new Error(answer.fail.message);
    return answer.value;
  }

  /** Whether a review waits at this place. */
  waitsAt(place: string): boolean {
    return this.places.has(place);
  }

  private reviewAt(place: string | undefined, request: ReviewRequest): string {
    const asked = place === undefined ? undefined : this.places.get(place);
    const id = asked ?? this.opened(request);
    if (place !== undefined) this.places.set(place, id);
    return id;
  }

  private opened(request: ReviewRequest): string {
    const { id } = this.book.request(request, workflowInfo().workflowId, Date.now());
    this.changed();
    this.notify("review_opened", id);
    return id;
  }

  private async answer(
    id: string,
    deadline_ms: number | undefined,
    stop: () => boolean,
  ): Promise<Result<FinalDecision> | null> {
    const { pause } = this;
    const before = pause?.total_ms() ?? 0;
    for (;;) {
      const wasPaused = pause?.isOn;
      // The time limit of a run stands still while it is paused. People are reminded all the same.
      const due = deadline_ms === undefined ? undefined : deadline_ms + (pause?.total_ms() ?? 0) - before;
      await this.untilDecidedOrDue(id, wasPaused ? undefined : due, () => stop() || pause?.isOn !== wasPaused);
      const decision = finalDecision(this.book.get(id) as Review);
      if (decision && pause?.isOn) await pause.over(stop);
      if (decision) return pause?.isOn ? null : ok(decision);
      if (stop()) return null;
      if (pause?.isOn !== wasPaused) continue;
      if (due !== undefined && !wasPaused && Date.now() >= due) {
        this.book.withdraw(Date.now(), id);
        this.changed();
        return failed("mission_timeout", "The mission's time limit has passed; nobody had decided.");
      }
      const { reminded, escalated } = this.book.passTime(Date.now());
      for (const review of escalated) this.notify("review_escalated", review.id);
      for (const review of reminded) this.notify("review_reminder", review.id);
      this.changed();
    }
  }

  private async untilDecidedOrDue(id: string, deadline_ms: number | undefined, stop: () => boolean): Promise<void> {
    const times = [this.book.nextDue(), deadline_ms ?? null].filter((time) => time !== null);
    const decided = () => this.book.get(id)?.status !== "open" || stop();
    if (times.length === 0) return condition(decided);
    await condition(decided, Math.max(1, Math.min(...times) - Date.now()));
  }

  private notify(event: ReviewEvent, id: string): void {
    this.outbox.send(event, this.book.get(id) as Review);
  }
}

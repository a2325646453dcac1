import { Context } from "@temporalio/activity";
import { ActivityCancelledError } from "@temporalio/client";

/** Well below the heartbeat timeout: a missing heartbeat shows a lost worker. */
const INTERVAL_MS = 400;
const ASKED_AGAIN_MS = 2_000;

/**
 * What an activity keeps in its heartbeat, for its next attempt if its worker is lost. Each heartbeat is sent at once and
 * waited for. The heartbeats of the SDK are put off when they come close together, and what was put off would be lost.
 *
 * The SDK ends an activity of which it has not heard for 5 s more than its heartbeat timeout. So an activity that takes long
 * hands its heartbeats over.
 */
export class HeartbeatJournal<T> {
  /** What the attempts before have kept. */
  readonly kept: T | undefined;
  private last: T | undefined;
  private readonly stop = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private sending: Promise<void> = Promise.resolve();
  private unsent = 0;
  private isCancelled = false;
  private isPushed = false;
  private isClosed = false;
  private isHandedOver = false;

  private constructor(
    private readonly context: Context,
    private readonly endsAtOnce: (context: Context) => Promise<boolean>,
  ) {
    this.kept = context.info.heartbeatDetails as T | undefined;
    this.last = this.kept;
    this.timer = setInterval(() => this.beat(), INTERVAL_MS);
    const { cancellationSignal } = context;
    cancellationSignal.addEventListener("abort", () => this.ended(), { once: true });
    if (cancellationSignal.aborted) this.ended();
  }

  /** @param endsAtOnce whether an activity that is cancelled ends at once. Else it begins nothing more, and is asked about again. */
  static open<T>(endsAtOnce: (context: Context) => Promise<boolean> = async () => true): HeartbeatJournal<T> {
    return new HeartbeatJournal<T>(Context.current(), endsAtOnce);
  }

  /** Aborted when the activity shall end at once: it is cancelled, the server does not know it any more or cannot be reached, or its worker shuts down. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  /** The activity shall begin nothing more. */
  get isEnding(): boolean {
    return this.isStopped || this.isCancelled;
  }

  /**
   * Keeps this, instead of what was kept before. If the server does not take it, the activity shall stop: its worker has the
   * details still, and no attempt after it would.
   */
  async keep(details: T): Promise<void> {
    this.last = details;
    await this.send();
  }

  /** Keeps this, with the next heartbeat. */
  put(details: T): void {
    this.last = details;
  }

  /**
   * Keeps this, with a heartbeat of its own as soon as the one under way was taken: of several that come meanwhile the last is
   * sent. Nobody waits for it. What is over at once needs none.
   */
  push(details: T): void {
    this.last = details;
    if (this.isPushed) return;
    this.isPushed = true;
    void this.sending
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(() => {
        this.isPushed = false;
        return this.isClosed || this.isStopped ? undefined : this.send();
      });
  }

  /**
   * From now on the SDK sends what is kept, and nobody can wait for it: a lost worker loses what it put off, up to 0.8 of the
   * heartbeat timeout.
   */
  handOver(): void {
    // After what is under way: a heartbeat of the SDK must not pass it.
    this.sending = this.sending.then(() => {
      this.isHandedOver = true;
    });
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  /** While a call takes long: the server hears that the worker lives, and the worker of a cancellation. */
  private beat(): void {
    if (this.unsent === 0 && !this.isStopped) void this.send();
  }

  /** One after the other: the server keeps what comes last. */
  private send(): Promise<void> {
    this.unsent += 1;
    this.sending = this.sending
      .then(() => this.sent())
      .finally(() => {
        this.unsent -= 1;
      });
    return this.sending;
  }

  private async sent(): Promise<void> {
    if (this.isHandedOver) return this.context.heartbeat(this.last);
    try {
      const { taskToken } = this.context.info;
      await this.context.client.activity.heartbeat(taskToken, this.last);
    } catch (error) {
      if (error instanceof ActivityCancelledError) this.cancelled(error);
      else this.stop.abort(error);
    }
  }

  /** The SDK ends the activity: its worker shuts down, a time limit is over, or it has heard of a cancellation. */
  private ended(): void {
    const { cancellationSignal, cancellationDetails } = this.context;
    if (cancellationDetails?.cancelRequested) this.cancelled(cancellationSignal.reason);
    else this.stop.abort(cancellationSignal.reason);
  }

  private cancelled(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    const again = () => {
      if (this.isStopped || this.isClosed) return;
      this.endsAtOnce(this.context).then(
        (atOnce) => (atOnce ? this.stop.abort(reason) : void setTimeout(again, ASKED_AGAIN_MS)),
        // Whoever cannot be asked has not said that what is under way shall be given up.
        () => void setTimeout(again, ASKED_AGAIN_MS),
      );
    };
    again();
  }
}

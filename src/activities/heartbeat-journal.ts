import { Context } from "@temporalio/activity";
import { ActivityCancelledError, ActivityCompletionError, ActivityNotFoundError } from "@temporalio/client";
import { passDetails, sendDetails } from "../node/heartbeats/kept-heartbeats";
import { wasGivenUp } from "./running-calls/end-of-call";

/** Well below the heartbeat timeout: a missing heartbeat shows a lost worker. */
const INTERVAL_MS = 400;
const ASKED_AGAIN_MS = 2_000;
/**
 * The SDK sends a heartbeat at once if the last one is older than 0.8 of the heartbeat timeout, and otherwise defers
 * it.
 */
const SDK_SHARE = 0.8;
/** A worker of ours defers a heartbeat for 1 s at most (`RECOVERY`); the run's cancellation comes with the answer to one. */
const LONGEST_APART_MS = 2_000;
const MARGIN_MS = 20;
/** A heartbeat that the SDK has sent is with the server by then, ms. */
const UNDER_WAY_MS = 200;

interface JournalOptions<T> {
  /** Whether an activity that is cancelled ends at once. Else it begins nothing more, and is asked about again. Default: it does. */
  endsAtOnce?: (context: Context) => Promise<boolean>;
  /** See `handOver`. */
  isHandedOver?: boolean;
  /** The details that the activity before this one has kept. */
  kept?: T | undefined;
}

/**
 * What an activity keeps in its heartbeat, for its next attempt if its worker is lost. Each heartbeat is sent at once
 * and waited for. The SDK defers heartbeats that come close together, and a deferred one would be lost.
 *
 * The SDK ends an activity if it receives no heartbeat for its heartbeat timeout and 5 s more. So an activity that
 * takes long gives its heartbeats to the SDK. It can take them back, because it gives the SDK a heartbeat only when the
 * SDK sends it at once: no deferred heartbeat can follow a newer one.
 */
export class HeartbeatJournal<T> {
  /** The details that the attempts before have kept. */
  readonly kept: T | undefined;
  private details: T | undefined;
  private readonly stop = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private sending: Promise<void> = Promise.resolve();
  private unsent = 0;
  private isCancelled = false;
  private isPushed = false;
  private isUnknown = false;
  private next: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** When the SDK was given the last one, ms of this process. */
  private bySdk = Number.NEGATIVE_INFINITY;
  /** The one between two of the SDK, while it is under way. */
  private between: Promise<void> | null = null;
  private hasSentBetween = false;

  private constructor(
    private readonly context: Context,
    private readonly endsAtOnce: (context: Context) => Promise<boolean>,
    private isHandedOver: boolean,
    keptBefore: T | undefined,
  ) {
    this.kept = (context.info.heartbeatDetails as T | undefined) ?? keptBefore;
    this.details = this.kept;
    this.timer = setInterval(() => this.beat(), INTERVAL_MS);
    const { cancellationSignal } = context;
    cancellationSignal.addEventListener("abort", () => this.ended(), { once: true });
    if (cancellationSignal.aborted) this.ended();
  }

  static open<T>({
    endsAtOnce = async () => true,
    isHandedOver = false,
    kept,
  }: JournalOptions<T> = {}): HeartbeatJournal<T> {
    return new HeartbeatJournal<T>(Context.current(), endsAtOnce, isHandedOver, kept);
  }

  /** Aborted when the activity shall end at once: it is cancelled, the server does not know it any more, or its worker shuts down. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** It ended because the server does not know the attempt any more, or got no heartbeat of it. */
  get isGivenUp(): boolean {
    return this.isUnknown || wasGivenUp(this.context);
  }

  /** The details that were kept last. */
  get last(): T | undefined {
    return this.details;
  }

  get isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  /** The activity shall begin nothing more. */
  get isEnding(): boolean {
    return this.isStopped || this.isCancelled;
  }

  /**
   * Keeps this instead of the earlier state, and waits for a server that cannot be reached. If the server does not take it, the
   * activity shall stop: its worker has the details still, and no attempt after it would.
   */
  async keep(details: T): Promise<void> {
    this.details = details;
    await this.send();
  }

  /** Keeps this, with the next heartbeat. */
  store(details: T): void {
    this.details = details;
  }

  /**
   * Keeps the details, with a separate heartbeat as soon as the current one was accepted: only the last of several
   * waiting details is sent. Nobody waits for it. A call that is over at once needs none.
   */
  push(details: T): void {
    this.details = details;
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
   * From now on the SDK sends what is kept, and nobody can wait for it: a lost worker loses what came after the last one, up to half of the
   * heartbeat timeout.
   */
  handOver(): void {
    // After what is under way: a heartbeat of the SDK must not pass it.
    this.sending = this.sending.then(() => {
      this.isHandedOver = true;
    });
  }

  /** After this, what is kept is waited for. It resolves when nothing of the SDK is under way. */
  async takeBack(): Promise<void> {
    this.isHandedOver = false;
    await this.between;
    const left = this.bySdk + UNDER_WAY_MS - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    clearTimeout(this.next);
  }

  /**
   * Sends a heartbeat during a long call: the server learns that the worker lives, and the worker learns of a
   * cancellation.
   */
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
    if (this.isHandedOver) return this.sentBySdk();
    while (!this.isStopped && !this.isClosed) {
      try {
        return await sendDetails(this.context, this.details);
      } catch (error) {
        if (error instanceof ActivityCancelledError) return this.cancelled(error);
        this.isUnknown = error instanceof ActivityNotFoundError;
        if (!(error instanceof ActivityCompletionError)) return this.stop.abort(error);
        // The line to the server is down. The SDK ends the activity if that takes too long.
        await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
      }
    }
  }

  private sentBySdk(): void {
    const { heartbeatTimeoutMs = 0 } = this.context.info;
    const apart_ms = Math.min(SDK_SHARE * heartbeatTimeoutMs, LONGEST_APART_MS) + MARGIN_MS;
    const now = performance.now();
    const since_ms = now - this.bySdk;
    if (since_ms < apart_ms / 2) return;
    const isBetween = since_ms < apart_ms;
    if (isBetween) this.sendBetween();
    else {
      this.bySdk = now;
      this.hasSentBetween = false;
      passDetails(this.context, this.details);
    }
    // As soon as it may: the server waits only a little longer.
    clearTimeout(this.next);
    this.next = setTimeout(() => this.beat(), isBetween ? apart_ms - since_ms + 1 : apart_ms / 2 + 1);
  }

  /**
   * One of our own between two of the SDK: with those alone a worker that is busy for half a second longer would count as lost. If the
   * server cannot be reached, the next one of the SDK finds out.
   */
  private sendBetween(): void {
    if (this.hasSentBetween || this.between !== null) return;
    this.hasSentBetween = true;
    this.between = sendDetails(this.context, this.details)
      .catch((error: unknown) => {
        if (error instanceof ActivityCancelledError) this.cancelled(error);
      })
      .finally(() => {
        this.between = null;
      });
  }

  /** The SDK ends the activity: its worker shuts down, a time limit is over, or a cancellation has arrived. */
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
        // A run that cannot be reached has not asked to give up its calls.
        () => void setTimeout(again, ASKED_AGAIN_MS),
      );
    };
    again();
  }
}

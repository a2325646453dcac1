import type { Info } from "@temporalio/activity";
import { utf8Bytes } from "../../core/base/bytes";

/**
 * The calls that this worker runs, and for some minutes their answers (docs/decisions/0068). After an outage of the network the server has
 * given up an attempt whose tool still runs here, or whose answer it never got. The next attempt gets that answer: the tool is not called
 * again.
 */
export class RunningCalls {
  private readonly calls = new Map<string, RunningCall>();
  private bytes = 0;

  /** @param now ms, by any clock */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly limits = { kept_ms: KEPT_MS, kept_bytes: KEPT_BYTES },
  ) {}

  /**
   * Makes a call, or waits for the same call of an earlier attempt.
   *
   * @param make gets a signal that is aborted when the call shall end
   * @returns its answer. An error is thrown to all attempts that wait, and is not kept: the next attempt makes the call
   */
  run<T>(attempt: CallAttempt, make: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.forgetOld();
    const before = this.calls.get(attempt.key);
    if (before !== undefined && isSameCall(before, attempt)) {
      this.endWith(before, attempt);
      return before.answer as Promise<T>;
    }
    const end = new AbortController();
    const call: RunningCall = { activity: attempt.activity, end, bytes: 0, answer: make(end.signal) };
    this.forget(attempt.key);
    this.calls.set(attempt.key, call);
    this.endWith(call, attempt);
    call.answer.then(
      (answer) => this.keep(call, answer),
      () => this.forgetCall(call, attempt.key),
    );
    return call.answer as Promise<T>;
  }

  /** The same call that still runs, or whose answer is kept; undefined: this worker does not know it. */
  find(key: string): Promise<unknown> | undefined {
    this.forgetOld();
    const call = this.calls.get(key);
    return call === undefined || call.isFailure ? undefined : call.answer;
  }

  private endWith(call: RunningCall, { key, ends }: CallAttempt): void {
    const end = () => {
      if (call.until !== undefined) return;
      this.forgetCall(call, key);
      call.end.abort(ends.reason);
    };
    if (ends.aborted) end();
    else ends.addEventListener("abort", end, { once: true });
  }

  private keep(call: RunningCall, answer: unknown): void {
    call.until = this.now() + this.limits.kept_ms;
    call.isFailure = (answer as { ok?: boolean } | null)?.ok === false;
    call.bytes = utf8Bytes(JSON.stringify(answer) ?? "");
    this.bytes += call.bytes;
    this.forgetOld();
  }

  private forgetOld(): void {
    const now = this.now();
    for (const [key, { until }] of this.calls)
      if (until !== undefined && (until <= now || this.bytes > this.limits.kept_bytes)) this.forget(key);
  }

  private forgetCall(call: RunningCall, key: string): void {
    if (this.calls.get(key) === call) this.forget(key);
  }

  private forget(key: string): void {
    this.bytes -= this.calls.get(key)?.bytes ?? 0;
    this.calls.delete(key);
  }
}

/** The key of a call in its run. @param kind the activities of one kind share their calls */
export const runningCallKey = (
  { workflowExecution }: Pick<Info, "workflowExecution">,
  kind: string,
  key: string,
): string => [workflowExecution?.workflowId, workflowExecution?.runId, kind, key].join(" ");

/** An attempt of a call. */
export interface CallAttempt {
  /** The same for each attempt of the call, and for no other call of its run. */
  key: string;
  /** The id of its activity. */
  activity: string;
  /** An earlier attempt was lost, or ended without an answer. */
  isRepeat: boolean;
  /** Aborted when the call shall end (`endOfCall`). */
  ends: AbortSignal;
}

interface RunningCall {
  activity: string;
  end: AbortController;
  answer: Promise<unknown>;
  /** Of the answer. */
  bytes: number;
  /** When the answer is forgotten; undefined: it still runs. */
  until?: number;
  /** The answer is a failure, as a value. */
  isFailure?: boolean;
}

/** A program may make a call that failed once more, with the same key: only its own activity gets the failure again. */
const isSameCall = (before: RunningCall, { isRepeat, activity }: CallAttempt): boolean =>
  isRepeat && (before.isFailure !== true || before.activity === activity);

/** Longer than the outages after which the server still makes another attempt soon. */
const KEPT_MS = 10 * 60_000;
const KEPT_BYTES = 32 * 1024 * 1024;

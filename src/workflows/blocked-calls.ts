import { ActivityFailure, ApplicationFailure, TimeoutFailure } from "@temporalio/common";
import { isCancellation, log, sleep } from "@temporalio/workflow";
import { failed, type Result } from "../core/base/failure";
import { type Missing, missingDetails } from "../core/base/input/missing";
import { isObject } from "../core/base/is-object";

/**
 * Calls that wait for a suitable worker (engine reference, section 5.1). A worker without the tool, model or key of a
 * call does nothing, so the run makes the call again: a few times at once, because another worker of the queue may have
 * it, and then as soon as some worker has it. During that time the run is blocked, and shows it.
 */

/** Before the second and the third attempt, in ms. In a rolling deploy one of them often meets the right worker. */
const QUICK_MS = [200, 1_000];
const LONGEST_PAUSE_MS = 30_000;

/** A call, and how to wait for a worker that can do it. */
export interface ServedCall<T> {
  /** @param again an earlier attempt met a worker that could not do it */
  call(again: boolean): Promise<T>;
  /**
   * The call, tried by Temporal until a worker can do it, at most this long: the tries are no events of the run. null: it
   * failed for another reason, and is made again as usual.
   */
  untilServed(limit_ms: number): Promise<{ value: T } | null>;
}

/** A call waited in vain for a worker that has what it needs. */
export class NotConfigured extends Error {
  constructor(readonly missing: Missing) {
    super(missing.text);
  }
}

/** The blocked calls of one workflow. */
export class BlockedCalls {
  private readonly waiting = new Set<Missing>();
  private began = 0;
  private ended_ms = 0;

  /**
   * @param changed what the oldest blocked call lacks has changed
   * @param now ms; it stands still while the run is paused, so that no time is counted twice
   */
  constructor(
    private readonly changed: () => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** The missing part of the oldest blocked call; undefined = no call is blocked. */
  get first(): Missing | undefined {
    return this.waiting.values().next().value;
  }

  /** How long the run was blocked so far, in milliseconds: its time limits do not run while it is blocked. */
  total_ms(): number {
    return this.ended_ms + (this.waiting.size === 0 ? 0 : this.now() - this.began);
  }

  /** @throws NotConfigured after the time that the worker has set */
  async served<T>({ call, untilServed }: ServedCall<T>): Promise<T> {
    let blocked: Missing | undefined;
    const started = Date.now();
    try {
      for (let attempt = 1; ; attempt++) {
        const missing = await this.lacking(() => call(attempt > 1));
        if ("value" in missing) return missing.value;
        const quick = QUICK_MS[attempt - 1];
        const left = missing.wait_ms - (Date.now() - started);
        if (left <= 0) throw new NotConfigured(missing);
        if (quick !== undefined) {
          await sleep(Math.min(quick, left));
          continue;
        }
        // A worker was ready, the call failed there for another reason, and now it meets a worker that cannot do it.
        if (blocked) await sleep(Math.min(left, LONGEST_PAUSE_MS, 500 * 2 ** Math.min(attempt - 3, 10)));
        blocked = this.note(missing, blocked);
        const found = await this.lacking(() => untilServed(left));
        if (!("value" in found)) throw new NotConfigured(found);
        if (found.value !== null) return found.value.value;
      }
    } finally {
      if (blocked) this.remove(blocked);
    }
  }

  /** Returns the value of a call, or the part that its worker lacks. Other failures are thrown. */
  private async lacking<T>(call: () => Promise<T>): Promise<{ value: T } | Missing> {
    try {
      return { value: await call() };
    } catch (error) {
      if (isCancellation(error)) throw error;
      const missing = missingOf(error);
      if (missing === null) throw error;
      return missing;
    }
  }

  private note(missing: Missing, before: Missing | undefined): Missing {
    if (before?.text === missing.text) return before;
    if (before) this.waiting.delete(before);
    else if (this.waiting.size === 0) this.began = this.now();
    this.waiting.add(missing);
    log.warn("blocked", { ...missingDetails(missing) });
    this.changed();
    return missing;
  }

  private remove(missing: Missing): void {
    this.waiting.delete(missing);
    if (this.waiting.size === 0) {
      this.ended_ms += this.now() - this.began;
      log.info("unblocked", { ...missingDetails(missing) });
    }
    this.changed();
  }
}

/** Returns the part that the worker of a failed activity lacks; null = it failed for another reason. */
export function missingOf(error: unknown): Missing | null {
  // A local activity's failure comes as it is.
  const failure = error instanceof ActivityFailure ? error.cause : error;
  // The time to wait is over: Temporal gives the last attempt's failure as the cause.
  const cause = failure instanceof TimeoutFailure && failure.cause ? failure.cause : failure;
  if (!(cause instanceof ApplicationFailure) || cause.type !== "configuration_error") return null;
  const details = cause.details?.[0];
  return isObject(details) && typeof details.wait_ms === "number" ? (details as unknown as Missing) : null;
}

/** The value of a call that waited for its worker; null = it failed there. */
export async function unlessItFails<T>(call: () => Promise<T>): Promise<{ value: T } | null> {
  try {
    return { value: await call() };
  } catch (error) {
    if (isCancellation(error) || missingOf(error) !== null) throw error;
    return null;
  }
}

/** The failure of a call that waited in vain. */
export function notConfigured({ missing }: NotConfigured): Result<never> {
  const hours = missing.wait_ms / 3_600_000;
  const waited = hours >= 1 ? `${Math.round(hours * 10) / 10} h` : `${missing.wait_ms / 1_000} s`;
  return failed("configuration_error", `${missing.text}; waited ${waited}. ${missing.help}`, missingDetails(missing));
}

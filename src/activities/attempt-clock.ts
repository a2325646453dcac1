import type { Info } from "@temporalio/activity";

/** A shorter wait than this may be a difference between the clocks of two machines, ms. */
const WAIT_MS = 1_000;

/**
 * When an attempt of an activity began, ms since 1970. Temporal reports when the attempt was scheduled, by the clock of
 * workflow time. If the attempt waited long for a worker, the worker's own clock gives the wait.
 */
export function attemptBegan({
  currentAttemptScheduledTimestampMs: asked,
}: Pick<Info, "currentAttemptScheduledTimestampMs">): number {
  const now = Date.now();
  return now - asked > WAIT_MS ? now : asked;
}

/** The time of an attempt, by the clock that workflow time has. Made when the attempt begins. */
export class AttemptClock {
  private readonly began = performance.now();
  private readonly from: number;

  constructor(info: Pick<Info, "currentAttemptScheduledTimestampMs">) {
    this.from = attemptBegan(info);
  }

  /** How long the attempt takes so far, ms. */
  elapsed(): number {
    return performance.now() - this.began;
  }

  /** ms since 1970. @param since it is not before this */
  now(since = 0): number {
    return Math.max(since, Math.floor(this.from + performance.now() - this.began));
  }
}

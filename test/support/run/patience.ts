import { availableParallelism, loadavg } from "node:os";

/**
 * How long the tests wait before they report that nothing happens: the only limit of time that a test may depend on.
 * NAVIGATOR_TEST_PATIENCE=3 makes every such limit three times as long.
 */
const FACTOR = Number(process.env.NAVIGATOR_TEST_PATIENCE ?? 1);
if (!(FACTOR > 0)) throw new Error("NAVIGATOR_TEST_PATIENCE must be a number above 0, such as 3 or 0.5.");
export const PATIENCE_MS = 60_000;

/** How much slower than an idle machine this one is now: runnable processes for each core, at least 1. */
const slowness = () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/**
 * A limit of time that a busy machine does not use up: at a load of four processes for each core, a second counts as a quarter. A process
 * that was stopped for a while has not waited meanwhile.
 */
export class Patience {
  private spent = 0;
  private last = Date.now();

  readonly limitMs: number;

  constructor(limitMs = PATIENCE_MS) {
    this.limitMs = limitMs * FACTOR;
  }

  /** Asked again and again: whether the limit is reached. */
  isOver(): boolean {
    const now = Date.now();
    this.spent += Math.min(now - this.last, 5_000) / slowness();
    this.last = now;
    return this.spent > this.limitMs;
  }

  /** Something has happened. */
  renew(): void {
    this.spent = 0;
    this.last = Date.now();
  }
}

import { delay } from "../node/delay";

/** The recent starts of each tool on this worker: a call that comes too early waits. */
export class RateLimits {
  private readonly started = new Map<string, number[]>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly sleep: (ms: number, signal: AbortSignal) => Promise<void> = delay,
  ) {}

  /** Resolves when the call may start: in the order of requests, never more than `max` in any `per_ms` milliseconds. */
  async turn(tool: string, limit: { max: number; per_ms: number } | undefined, signal: AbortSignal): Promise<void> {
    if (limit === undefined) return;
    const starts = this.started.get(tool) ?? [];
    this.started.set(tool, starts);
    const oldest = starts.length < limit.max ? undefined : starts[starts.length - limit.max];
    const at = oldest === undefined ? this.now() : Math.max(this.now(), oldest + limit.per_ms);
    // The place is reserved before the wait, so that later calls queue after it.
    starts.push(at);
    if (starts.length > limit.max) starts.splice(0, starts.length - limit.max);
    const wait = at - this.now();
    if (wait > 0) await this.sleep(wait, signal);
  }
}

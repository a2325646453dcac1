import type { RateLimit } from "../context/context";

interface Bucket {
  tokens: number;
  at: number;
}

/** Callers that are remembered. Whoever is forgotten begins with a full bucket. */
const MAX_CALLERS = 10_000;

/** A token bucket for each caller (web reference, section 3). */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: RateLimit,
    private readonly now: () => number = Date.now,
  ) {}

  /** 0: the request is let in. Otherwise after how many seconds, at least 1, the next one is. */
  take(caller: string): number {
    const { perSecond, burst } = this.limit;
    const at = this.now();
    const before = this.buckets.get(caller) ?? { tokens: burst, at };
    const tokens = Math.min(burst, before.tokens + ((at - before.at) / 1_000) * perSecond);
    // The least recently seen stand first, and are forgotten first.
    this.buckets.delete(caller);
    this.buckets.set(caller, { tokens: tokens >= 1 ? tokens - 1 : tokens, at });
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > MAX_CALLERS && oldest !== undefined) this.buckets.delete(oldest);
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}

import type { Backend } from "../../server/backend/backend";

/** So long an answer serves all who ask the same, in ms: many readers of one task then cost as much as one. */
const SHARED_MS = 300;
const MAX_KEPT = 1_000;

/**
 * A read that callers share: those who ask for the same within a moment get the same answer. Those who wait for it receive its error,
 * which is not kept. Only for what every caller may see.
 *
 * @param ms how long an answer serves others, from when it is there
 */
export function sharedRead<B extends Pick<Backend, "client">, T>(
  read: (backend: B, key: string) => Promise<T>,
  { ms = SHARED_MS, now = Date.now }: { ms?: number; now?: () => number } = {},
): (backend: B, key: string) => Promise<T> {
  // By client: the answers of one server are not those of another.
  const byClient = new WeakMap<object, Map<string, { until: number; answer: Promise<T> }>>();
  return (backend, key) => {
    const kept = byClient.get(backend.client) ?? new Map<string, { until: number; answer: Promise<T> }>();
    byClient.set(backend.client, kept);
    const known = kept.get(key);
    if (known !== undefined && known.until > now()) return known.answer;
    const answer = read(backend, key);
    const one = { until: Number.POSITIVE_INFINITY, answer };
    kept.delete(key);
    kept.set(key, one);
    answer.then(
      () => {
        one.until = now() + ms;
      },
      () => {
        if (kept.get(key) === one) kept.delete(key);
      },
    );
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
}

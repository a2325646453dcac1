/** Calls for one list that are open at the same time. */
const AT_ONCE = 32;

/** Maps with a bounded number of calls at a time; results in the order of the items. The first error ends it. */
export async function atOnce<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** The size of a batch: after each batch the loader checks whether the worker keeps up. */
const BATCH = 32;
/** After this time the loader stops waiting, because the caller wants an answer. */
const PATIENCE_MS = 30_000;

/**
 * Starts many items without overloading the workers: while one batch starts, the last item of the batch before must answer. So
 * at most two batches wait for a worker, and there is always one to start.
 * Thousands of items started at once would delay all other work for half a minute.
 */
export async function inBatches<T>(
  items: readonly T[],
  begin: (item: T) => Promise<void>,
  answers: (last: T) => Promise<unknown>,
): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  let before: Promise<unknown> = Promise.resolve();
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    // Calls that have begun end before the first error is thrown.
    for (const one of await Promise.allSettled([atOnce(batch, begin), before]))
      if (one.status === "rejected") throw one.reason;
    before = at + BATCH < items.length && Date.now() < until ? answers(batch.at(-1) as T) : Promise.resolve();
  }
}

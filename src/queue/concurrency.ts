/** Calls of one list that are under way at the same time. */
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

/** So many are begun before it is seen whether the worker keeps up. */
const BATCH = 64;
/** After this long nothing is waited for any more: who asked wants an answer. */
const PATIENCE_MS = 30_000;

/**
 * Begins many things without burying the workers: after each batch it waits until the last of it answers. What is begun
 * at once by the thousand would keep everybody else waiting for half a minute.
 */
export async function inBatches<T>(
  items: readonly T[],
  begin: (item: T) => Promise<void>,
  answers: (last: T) => Promise<unknown>,
): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    await atOnce(batch, begin);
    if (at + BATCH < items.length && Date.now() < until) await answers(batch.at(-1) as T);
  }
}

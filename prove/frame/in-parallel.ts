/** Works on items in parallel, at most `limit(item)` of them. @throws the first error, when all have ended */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  limit: (item: T) => number,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  for (const item of items) {
    while (running.size >= limit(item)) await Promise.race(running);
    if (errors.length > 0) break;
    const one: Promise<void> = work(item)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}

/** How often a case is tried again while it is made smaller: enough for small cases, and an end for large ones. */
const TRIES = 400;

/**
 * The smallest case that still fails: as long as one of `smaller` fails too, it takes its place.
 *
 * @param smaller gives smaller cases, the smallest first; a case that is larger would make this run until its tries are used
 * @param fails whether a case shows the same violation
 */
export async function shrink<T>(
  failing: T,
  smaller: (value: T) => Iterable<T>,
  fails: (value: T) => boolean | Promise<boolean>,
  tries: number = TRIES,
): Promise<T> {
  let best = failing;
  let left = tries;
  for (let again = true; again; ) {
    again = false;
    for (const candidate of smaller(best)) {
      if (left === 0) return best;
      left -= 1;
      if (!(await fails(candidate))) continue;
      best = candidate;
      again = true;
      break;
    }
  }
  return best;
}

/** A list with a part left out: halves first, then quarters, down to single items. */
export function* shorterLists<T>(list: readonly T[]): Generator<T[]> {
  if (list.length === 0) return;
  for (let size = list.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
}

/** Smaller whole numbers, from `least` on. */
export function* smallerNumbers(value: number, least = 0): Generator<number> {
  for (let gap = value - least; gap >= 1; gap = Math.floor(gap / 2)) yield value - gap;
}

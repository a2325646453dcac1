import fc from "fast-check";
import { isDeep } from "./deep";

/**
 * Generated cases, and how many of them a run tries. `npm test` tries a tenth of a check's own number, with the same seed every time:
 * a run then shows the code and not luck. `npm run test:deep` tries ten times that number, with a random seed that it prints.
 *
 *   NAVIGATOR_SEED=7             the cases of this seed: repeats a run
 *   NAVIGATOR_SAFETY_FACTOR=100  a hundred times the check's own number
 */
const { NAVIGATOR_SAFETY_FACTOR, NAVIGATOR_SEED } = process.env;
const factor = Number(NAVIGATOR_SAFETY_FACTOR ?? (isDeep ? 10 : 0.1));
/** A check that tries fewer cases than this is not made smaller. */
const AT_LEAST = 20;

export const SEED = Number(NAVIGATOR_SEED ?? 20250101);

/** The number of cases that this run tries of a check whose own number is `count`. */
export const cases = (count: number): number => Math.max(Math.min(count, AT_LEAST), Math.ceil(count * factor));

/** A size that is no number of generated cases: `npm test` shows a rule with `few`, and the deep run has `many`. */
export const sized = <T>(few: T, many: T): T => (isDeep ? many : few);

/** Of a list of cases, those that this run tries: all, or some from everywhere in it, the last one always. */
export function part<T>(list: readonly T[]): T[] {
  const count = Math.min(cases(list.length), list.length);
  return Array.from({ length: count }, (_, i) => list[Math.ceil(((i + 1) * list.length) / count) - 1] as T);
}

/**
 * `fc.assert` with this run's seed and number of cases: `numRuns` is the check's own number. A failure names the seed and the path;
 * put both into the options to see that case alone.
 */
export function assertProperty<Ts>(property: fc.IAsyncProperty<Ts>, options?: fc.Parameters<Ts>): Promise<void>;
export function assertProperty<Ts>(property: fc.IProperty<Ts>, options?: fc.Parameters<Ts>): void;
export function assertProperty<Ts>(property: fc.IRawProperty<Ts>, options: fc.Parameters<Ts> = {}): unknown {
  const { numRuns = 100, ...more } = options;
  return fc.assert(property, { seed: SEED, numRuns: cases(numRuns), ...more });
}

/** Exactly `count` generated values of this run's seed. */
export const sample = <T>(of: fc.Arbitrary<T>, count: number): T[] => fc.sample(of, { seed: SEED, numRuns: count });

/**
 * How many programs of each kind one run of the tests makes up. The seed is always the same, so that a run says something
 * about the code and not about luck:
 *
 *   NAVIGATOR_SAFETY_SEED=random  other programs on every run (or a number: those of that run)
 *   NAVIGATOR_SAFETY_FACTOR=10    ten times as many
 */
export const PROGRAMS = {
  grammar: 30_000,
  mutations: 29_000,
  nesting: 3_000,
  numbers: 13_000,
  "hostile names": 13_000,
  patterns: 6_000,
  tools: 7_000,
} as const;

const { NAVIGATOR_SAFETY_SEED = "20250101", NAVIGATOR_SAFETY_FACTOR = "1" } = process.env;

const seed = NAVIGATOR_SAFETY_SEED === "random" ? Date.now() % 0x7fffffff : Number(NAVIGATOR_SAFETY_SEED);

/** For `fc.assert`: a failure names the seed, and the smallest program that shows it. */
export function runs(count: number): { seed: number; numRuns: number } {
  return { seed, numRuns: Math.ceil(count * Number(NAVIGATOR_SAFETY_FACTOR)) };
}

/** How many programs that keep what they make a whole check makes up. */
export const GENERATED = 150;

/** How many programs of each kind a whole check makes up. How many of them a run tries: test/support/run/property.ts. */
export const PROGRAMS = {
  grammar: 30_000,
  mutations: 29_000,
  nesting: 3_000,
  numbers: 13_000,
  "hostile names": 13_000,
  patterns: 6_000,
  tools: 7_000,
} as const;

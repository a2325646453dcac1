/** The sizes of `navigator prove history`. */
export const HISTORY_SIZES = {
  calls: { kind: "count", about: "model calls of each mission", quick: 50, normal: 250, min: 8, max: 2_000 },
} as const;

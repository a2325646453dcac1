/** The sizes of `navigator prove sandbox`. */
export const SANDBOX_SIZES = {
  programs: { kind: "count", about: "generated programs", quick: 2_000, normal: 20_000 },
} as const;

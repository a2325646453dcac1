/** The sizes of `navigator prove inbox`. */
export const INBOX_SIZES = {
  requests: { kind: "count", about: "requests that run through a month", quick: 1_000, normal: 10_000 },
  waiting: {
    kind: "count",
    about: "workflows that wait on a server whose lists are timed; loading them takes 15 minutes at most",
    quick: 0,
    normal: 500,
    min: 0,
  },
} as const;

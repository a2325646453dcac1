/** The sizes of `navigator prove approvals`. */
export const APPROVAL_SIZES = {
  n: {
    kind: "count",
    about: "missions, each with every attack on a decision, by update and by signal",
    quick: 2,
    normal: 200,
    min: 0,
  },
  calls: {
    kind: "count",
    about: "of each attack between the yes and the call",
    quick: 1,
    normal: 20,
    min: 0,
  },
  races: { kind: "count", about: "reviews that a hundred votes reach at once", quick: 1, normal: 20, min: 0 },
  processes: {
    kind: "count",
    about: "missions, each with every attack through the command, MCP on stdio and MCP over HTTP",
    quick: 1,
    normal: 5,
    min: 0,
  },
  exports: { kind: "count", about: "damaged exports", quick: 300, normal: 10_000, min: 0 },
  sound: { kind: "count", about: "sound exports", quick: 30, normal: 1_000, min: 0 },
} as const;

/** What is killed. */
export const VICTIMS = ["worker", "server", "mcp"] as const;
export type Victim = (typeof VICTIMS)[number];

/** The sizes of `navigator prove crash`. */
export const CRASH_SIZES = {
  every: {
    kind: "count",
    about: "kill at each nth event of the history, or call of the MCP process",
    quick: 20,
    normal: 2,
  },
  victims: {
    kind: "names",
    about: "what is killed: worker, server, mcp",
    of: VICTIMS,
    quick: VICTIMS,
    normal: VICTIMS,
  },
} as const;

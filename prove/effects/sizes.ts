/** The sizes of `navigator prove effects`. */
export const EFFECTS_SIZES = {
  missions: { kind: "count", about: "generated missions in memory", quick: 500, normal: 5_000, min: 0 },
  cross: { kind: "share", about: "share of effects that another mission means at the same time", quick: 0, normal: 0 },
  kills: {
    kind: "count",
    about: "generated missions on a separate server, whose worker is killed at random events",
    quick: 0,
    normal: 0,
    min: 0,
  },
  undo: {
    kind: "count",
    about: "generated missions on that server that are undone, while the worker is killed",
    quick: 0,
    normal: 0,
    min: 0,
  },
} as const;

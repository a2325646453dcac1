/** The sizes of `navigator prove stream`. */
export const STREAM_SIZES = {
  tokens: { kind: "count", about: "tokens of the answer", quick: 8_000, normal: 100_000, min: 500, max: 200_000 },
  drops: { kind: "count", about: "times that the reader is cut off", quick: 8, normal: 20, min: 0, max: 200 },
  kills: {
    kind: "count",
    about: "times that the worker is killed in the middle of its answer, and the web server as well",
    quick: 1,
    normal: 3,
    min: 0,
    max: 10,
  },
} as const;

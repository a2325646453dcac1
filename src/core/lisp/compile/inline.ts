import { Op } from "./code";

/** Calls that have an instruction of their own, by name and argument count. Each falls back to the builtin for what is no small integer. */
export const INLINE: ReadonlyMap<string, number> = new Map([
  ["+/2", Op.ADD],
  ["-/2", Op.SUB],
  ["*/2", Op.MUL],
  ["</2", Op.LT],
  [">/2", Op.GT],
  ["<=/2", Op.LE],
  [">=/2", Op.GE],
  ["=/2", Op.EQ],
  ["inc/1", Op.INC],
  ["dec/1", Op.DEC],
  ["not/1", Op.NOT],
]);

/** The builtin behind an inlined instruction. */
export const INLINED_NAME: ReadonlyMap<number, string> = new Map(
  [...INLINE].map(([key, op]) => [op, key.slice(0, key.lastIndexOf("/"))]),
);

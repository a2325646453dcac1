import type { CharSet } from "./char-set";

/**
 * A pattern that cannot be read or is too large. The engine does not know the language; its callers turn this into a
 * program error.
 */
export class PatternError extends Error {}

/** A pattern as a tree. */
export type PatternNode =
  | { kind: "char"; set: CharSet }
  | { kind: "sequence"; items: PatternNode[] }
  | { kind: "choice"; options: PatternNode[] }
  | { kind: "repeat"; node: PatternNode; min: number; max: number; greedy: boolean }
  | { kind: "group"; node: PatternNode; index: number }
  | { kind: "assert"; what: Assertion }
  | { kind: "look"; node: PatternNode; lookbehind: boolean; negative: boolean };

export type Assertion = "start" | "end" | "last-end" | "line-start" | "line-end" | "word" | "not-word";

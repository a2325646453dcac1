import type { CharSet } from "./char-set";

/** A pattern as a tree. */
export type Node =
  | { kind: "char"; set: CharSet }
  | { kind: "sequence"; items: Node[] }
  | { kind: "choice"; options: Node[] }
  | { kind: "repeat"; node: Node; min: number; max: number; greedy: boolean }
  | { kind: "group"; node: Node; index: number }
  | { kind: "assert"; what: Assertion }
  | { kind: "look"; node: Node; behind: boolean; negative: boolean };

export type Assertion = "start" | "end" | "last-end" | "line-start" | "line-end" | "word" | "not-word";

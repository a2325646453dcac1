import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import type { Loaded } from "../../../../src/core/graph/definition/validate";
import { type Arrow, parsed, task, written } from "./definitions";

/** Reading definitions for what is wrong with them. */
export type Nodes = { [id: string]: object | null };
export const codesOf = (list: unknown): string[] => (list as { code: string }[]).map(({ code }) => code);

export function errorsOf(input: unknown, loaded?: Loaded): string[] {
  const read = parseDefinition(input, undefined, loaded);
  return read.ok ? [] : codesOf(read.fail.details?.issues);
}
export const warningsOf = (nodes: Nodes, arrows: Arrow[]) => codesOf(parsed(written(nodes, arrows)).warnings);

export const whole: Arrow[] = [
  ["start", "S"],
  ["S", "done", "passed"],
  ["S", "human", "failed"],
];
export const fork = (more: object = {}) => ({ type: "fork", join: "merge", ...more });
export const merge = { type: "join", fork: "split" };
export const forked: Arrow[] = [
  ["start", "split"],
  ["split", "a"],
  ["split", "b"],
  ["a", "merge"],
  ["b", "merge"],
  ["merge", "done", "passed"],
  ["merge", "human", "failed"],
];
export const branches: Nodes = { split: fork(), a: task(), b: task(), merge };

import { type ParsedDefinition, parseDefinition } from "../../../../src/core/graph/definition/parse";
import type { Definition } from "../../../../src/core/graph/definition/schema";
import type { Loaded } from "../../../../src/core/graph/definition/validate";

/** `review -failed-> build` is `["review", "build", "failed"]`. */
export type Arrow = [from: string, to: string, on?: string];

/** As JSON a user may write: `start` is there, `done` (success) and `human` (hitl) where an arrow names them. */
export function written(nodes: { [id: string]: object | null }, arrows: Arrow[]) {
  const named = new Set(arrows.flat());
  const ends = {
    done: { type: "end", result: "success" },
    human: { type: "end", result: "blocked", escalation: "hitl" },
  };
  const usual = Object.fromEntries(Object.entries(ends).filter(([id]) => named.has(id)));
  const all: { [id: string]: object | null } = { start: { type: "start" }, ...usual, ...nodes };
  return {
    id: "test-flow",
    nodes: Object.fromEntries(Object.entries(all).filter(([, node]) => node !== null)),
    edges: arrows.map(([from, to, on]) => (on === undefined ? { from, to } : { from, to, on })),
  };
}

export function parsed(input: unknown, loaded?: Loaded): ParsedDefinition {
  const result = parseDefinition(input, undefined, loaded);
  if (!result.ok) throw new Error(result.fail.message);
  return result.value;
}

export const definition = (nodes: { [id: string]: object | null }, arrows: Arrow[]): Definition =>
  parsed(written(nodes, arrows)).definition;

export const task = (more: object = {}) => ({ type: "task", name: "Work", ...more });
export const gate = (more: object = {}) => ({ type: "gate", name: "Look at it", ...more });

/** build, then a review that may send it back: three retries, then a person. */
export const reviewed = definition({ build: task(), review: gate({ maxRetries: 3 }) }, [
  ["start", "build"],
  ["build", "review"],
  ["review", "done", "passed"],
  ["review", "build", "failed"],
  ["review", "human", "max_retries_exceeded"],
  ["human", "build", "passed"],
]);

import {
  type Definition,
  type Edge,
  edgesFrom,
  isEnd,
  MAX_RETRIES_EXCEEDED,
  maxRetriesOf,
  nodeKind,
  nodeOf,
} from "../definition/schema";

/** The edges out of a step by their purpose; of several for one purpose, the first in the file. */
export interface WaysOut {
  all: readonly Edge[];
  /** Without a result: taken if no other edge fits. */
  always: Edge | undefined;
  /** result -> edge; `failed` has its own fields. */
  exact: ReadonlyMap<string, Edge>;
  /** On failed, to a node that is not an end. */
  back: Edge | undefined;
  /** On failed, to an end. */
  end: Edge | undefined;
  exceeded: Edge | undefined;
  maxRetries: number;
  /** The only possible results of the step; undefined if it declares none. */
  declared: readonly string[] | undefined;
}

const known = new WeakMap<Definition, Map<string, WaysOut>>();

/**
 * Sorted once for each step of a definition: a task needs it at every move, and a definition never changes.
 *
 * A fork is left as its join is (graph reference, section 9.1): its own edges are branches, and none of them is taken
 * by result.
 */
export function waysOut(definition: Definition, step: string): WaysOut {
  let steps = known.get(definition);
  if (!steps) {
    steps = new Map();
    known.set(definition, steps);
  }
  let ways = steps.get(step);
  if (!ways) {
    ways = sorted(definition, step);
    steps.set(step, ways);
  }
  return ways;
}

function sorted(definition: Definition, step: string): WaysOut {
  const node = nodeOf(definition, step);
  const all = edgesFrom(definition, node ? nodeKind(node).exit(node, step) : step);
  const onFailed = all.filter((edge) => edge.on === "failed");
  const exact = new Map<string, Edge>();
  for (const edge of all)
    if (edge.on !== undefined && edge.on !== "failed" && !exact.has(edge.on)) exact.set(edge.on, edge);
  return {
    all,
    always: all.find((edge) => edge.on === undefined),
    exact,
    back: onFailed.find((edge) => !isEnd(definition, edge.to)),
    end: onFailed.find((edge) => isEnd(definition, edge.to)),
    exceeded: exact.get(MAX_RETRIES_EXCEEDED),
    maxRetries: node ? maxRetriesOf(node) : 0,
    declared: node && nodeKind(node).outputs(node),
  };
}

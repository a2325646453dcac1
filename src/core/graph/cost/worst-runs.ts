import { type Next, reachable, successors } from "../../base/ordering";
import { beginsAt, type Definition, nodeOf, startOf, workOf } from "../definition/schema";
import { arcsOf, type CountedArc } from "./arcs";

/** The most often that a task can come to each node. */
export interface WorstRuns {
  /** Runs of nodes that an agent drives; null = there is no limit. */
  agent_runs: number | null;
  /** The same by node. */
  runs: { [nodeId: string]: number };
  /** Steps of a loop without a limit: only the results of its steps end it. */
  endless: string[];
  /** Other workflows that run as subflows: their agents are not counted. */
  subflows: string[];
}

/**
 * A bound, not a forecast. Retries are forgiven when their step passes, so that an inner loop may be used up again for
 * each retry of an outer one: within a loop the numbers of attempts are multiplied.
 */
export function worstRuns(definition: Definition): WorstRuns {
  const arcs = arcsOf(definition);
  const next = successors(arcs);
  const all = reachable([startOf(definition)], next);
  const reached = Object.keys(definition.nodes).filter((id) => all.has(id));
  const free = successors(arcs.filter(({ limit }) => limit === null));
  const endless = reached.filter((node) => returns(node, free));
  const subflows = reached.filter((node) => beginsAt(definition, node) === "subflow");
  if (endless.length > 0) return { agent_runs: null, runs: {}, endless, subflows };
  const driven = reached.filter((id) => isDriven(definition, id));
  const runs = driven.map((id): [string, number] => [id, visits(id, arcs, next)]);
  const agent_runs = runs.reduce((sum, [, count]) => sum + count, 0);
  return { agent_runs, runs: Object.fromEntries(runs), endless, subflows };
}

/** Name of the agent that does a node; "" where there is none. */
export const agentAt = (definition: Definition, id: string): string => workOf(nodeOf(definition, id))?.agent ?? "";

/** A gate or a task that names its agent. */
export function isDriven(definition: Definition, id: string): boolean {
  return agentAt(definition, id) !== "";
}

const returns = (node: string, next: Next<string>): boolean => reachable(next(node), next).has(node);

/**
 * An upper bound, not a forecast. A step's retries start anew when it passes, so an inner loop may run fully for each
 * retry of an outer one: within a loop the numbers of attempts are multiplied.
 */
function visits(node: string, arcs: readonly CountedArc[], next: Next<string>): number {
  const after = reachable(next(node), next);
  const around = arcs.filter(
    ({ from, to, limit }) =>
      limit !== null && (from === node || after.has(from)) && (to === node || reachable([to], next).has(node)),
  );
  return around.reduce((product, { limit }) => product * (1 + (limit as number)), 1);
}

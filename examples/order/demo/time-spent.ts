import { flatten, type MissionTree } from "../../../src/client/mission-tree";
import type { Projection } from "../../../src/core/history/read/project";

/** The times of a mission in ms, from its histories. */
export interface TimeSpent {
  total: number;
  model: number;
  tools: number;
  /** Between the killed worker's call and the answer of its second attempt. */
  recovery: number;
  people: number;
  /** Everything else: scheduling, workflow tasks, starting children. */
  engine: number;
}

export function timeSpent(tree: MissionTree, reviews: { createdAt: number; decidedAt?: number }[]): TimeSpent {
  const all = flatten(tree).map(({ projection }) => projection);
  const entries = all.flatMap(({ timeline }) => timeline);
  const sum = (kind: string, retried: boolean) =>
    entries
      .filter((entry) => entry.kind === kind && (entry.attempts !== undefined) === retried)
      .reduce((total, entry) => total + (entry.duration_ms ?? 0), 0);
  const total = lengthOf(tree.projection);
  const model = sum("model", false);
  const tools = sum("tool", false);
  const recovery = sum("tool", true) + sum("model", true);
  const people = reviews.reduce((ms, review) => ms + ((review.decidedAt ?? review.createdAt) - review.createdAt), 0);
  return { total, model, tools, recovery, people, engine: Math.max(0, total - model - tools - recovery - people) };
}

function lengthOf({ timeline }: Projection): number {
  const first = timeline[0]?.at ?? 0;
  const last = timeline.at(-1)?.at ?? first;
  return last - first;
}

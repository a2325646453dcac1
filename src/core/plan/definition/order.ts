import { findCircle, levelsOf, topologicalOrder } from "../../base/ordering";
import type { Plan, PlanTask } from "./plan";

/** The order in which tasks run (plan reference, section 1.6). */

/**
 * The phases of a plan: tasks that depend on nothing first, in plan order within a phase (plan reference, section 1.6).
 * A dependency that does not exist counts as done.
 */
export function phasesOf(plan: Plan): PlanTask[][] {
  return levelsOf(plan.tasks, needsOf(plan));
}

/** Each task after its dependencies; among equals the first in the plan comes first. */
export function orderedTasks(plan: Plan): PlanTask[] {
  const needs = needsOf(plan);
  const place = new Map(plan.tasks.map((task, index) => [task, index]));
  const placeOf = (task: PlanTask): number => place.get(task) as number;
  return topologicalOrder(plan.tasks, (task) => needs(task).sort((a, b) => placeOf(a) - placeOf(b)));
}

/** A circle of dependencies, from a task back to itself: `[a, b, a]`; null when there is none. */
export function findCycle(plan: Plan): string[] | null {
  const depends = new Map<string, string[]>();
  for (const { id, depends_on } of plan.tasks) depends.set(id, [...(depends.get(id) ?? []), ...depends_on]);
  return findCircle(depends.keys(), (id) => depends.get(id) ?? []);
}

/** A cyclic plan has no levels. Running such an unchecked plan is a bug of the caller. */
export class CyclicPlan extends Error {
  constructor(readonly cycle: readonly string[]) {
    super(`The plan runs in a circle: ${cycle.join(" -> ")}`);
  }
}

function needsOf(plan: Plan): (task: PlanTask) => PlanTask[] {
  const cycle = findCycle(plan);
  if (cycle) throw new CyclicPlan(cycle);
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  return ({ depends_on }) => depends_on.flatMap((id) => byId.get(id) ?? []);
}

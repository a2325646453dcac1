import { tasksById } from "../definition/parse";
import type { Plan, PlanTask } from "../definition/plan";

/** For each task all that come before it, by dependency; a circle ends where it began. */
export function ancestorsOf(plan: Plan): ReadonlyMap<string, ReadonlySet<string>> {
  const byId = tasksById(plan);
  return new Map(plan.tasks.map((task) => [task.id, before(task, byId)]));
}

function before(task: PlanTask, byId: ReadonlyMap<string, PlanTask>): ReadonlySet<string> {
  const seen = new Set(task.depends_on);
  // A set grows while it is walked.
  for (const id of seen) for (const other of byId.get(id)?.depends_on ?? []) seen.add(other);
  return seen;
}

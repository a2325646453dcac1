import { reachable } from "../../base/ordering";
import { tasksById } from "../definition/parse";
import type { Plan } from "../definition/plan";

/** For each task all its direct and indirect dependencies. A task in a circle is among its own. */
export function ancestorsOf(plan: Plan): ReadonlyMap<string, ReadonlySet<string>> {
  const byId = tasksById(plan);
  const needs = (id: string) => byId.get(id)?.depends_on ?? [];
  return new Map(plan.tasks.map(({ id, depends_on }) => [id, reachable(depends_on, needs)]));
}

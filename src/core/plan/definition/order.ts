import type { Plan, PlanTask } from "./plan";

/** The order in which tasks run (plan reference, section 1.6). */

/** Levels: those that depend on nothing first; within one in plan order. A dependency that does not exist counts as done. */
export function phasesOf(plan: Plan): PlanTask[][] {
  const levels = levelsOf(plan.tasks);
  const phases: PlanTask[][] = [];
  plan.tasks.forEach((task, i) => {
    const level = levels[i] as number;
    phases[level] = [...(phases[level] ?? []), task];
  });
  return phases;
}

/** Each task behind those that it depends on; of equals the first in the plan comes first. */
export function topologicalOrder(plan: Plan): PlanTask[] {
  const open = [...plan.tasks];
  const ids = new Set(open.map(({ id }) => id));
  const done = new Set<string>();
  const order: PlanTask[] = [];
  while (open.length > 0) {
    const next = open.findIndex((task) => task.depends_on.every((id) => done.has(id) || !ids.has(id)));
    if (next < 0) throw new CyclicPlan(findCycle(plan) ?? []);
    const [task] = open.splice(next, 1) as [PlanTask];
    order.push(task);
    done.add(task.id);
  }
  return order;
}

/** A circle of dependencies, from a task back to itself: `[a, b, a]`; null when there is none. */
export function findCycle(plan: Plan): string[] | null {
  const depends = new Map<string, string[]>();
  for (const { id, depends_on } of plan.tasks) depends.set(id, [...(depends.get(id) ?? []), ...depends_on]);
  const done = new Set<string>();
  // An explicit stack: a chain of dependencies may be longer than the host's own.
  for (const { id: start } of plan.tasks) {
    if (done.has(start)) continue;
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const open = new Set([start]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const dependency = depends.get(top.id)?.[top.next];
      top.next += 1;
      if (dependency === undefined) {
        done.add(top.id);
        open.delete(top.id);
        path.pop();
      } else if (open.has(dependency)) {
        const ids = path.map(({ id }) => id);
        return [...ids.slice(ids.indexOf(dependency)), dependency];
      } else if (!done.has(dependency) && depends.has(dependency)) {
        open.add(dependency);
        path.push({ id: dependency, next: 0 });
      }
    }
  }
  return null;
}

/** Levels of a cyclic plan do not exist. A bug in whoever runs a plan that was not checked. */
export class CyclicPlan extends Error {
  constructor(readonly cycle: readonly string[]) {
    super(`The plan runs in a circle: ${cycle.join(" -> ")}`);
  }
}

function levelsOf(tasks: readonly PlanTask[]): number[] {
  const cycle = findCycle({ agents: {}, tasks: [...tasks] });
  if (cycle) throw new CyclicPlan(cycle);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const levels = new Map<string, number>();
  const pending: string[] = [];
  const levelOf = (id: string): number => {
    pending.push(id);
    for (let at = pending.at(-1); at !== undefined; at = pending.at(-1)) {
      const known = (byId.get(at)?.depends_on ?? []).filter((other) => byId.has(other));
      const missing = known.filter((other) => !levels.has(other));
      if (missing.length > 0) pending.push(...missing);
      else {
        levels.set(at, known.length === 0 ? 0 : 1 + Math.max(...known.map((other) => levels.get(other) as number)));
        pending.pop();
      }
    }
    return levels.get(id) as number;
  };
  return tasks.map(({ id }) => levels.get(id) ?? levelOf(id));
}

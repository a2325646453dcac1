import { phasesOf } from "../definition/order";
import { prettyText } from "../definition/plain-text";
import type { Plan, PlanTask } from "../definition/plan";
import type { Finder } from "./finding";

/** Advice on a valid plan that could be better (plan reference, section 6). */
export function adviceFindings(plan: Plan, finder: Finder): void {
  const phases = phasesOf(plan);
  parallelWork(phases, finder);
  const used = new Set(plan.tasks.flatMap(({ depends_on }) => depends_on));
  const last = new Set(phases.at(-1)?.map(({ id }) => id));
  for (const task of plan.tasks) {
    const { id } = task;
    if (isOptimistic(task))
      finder.add(
        "warning",
        "optimism_bias",
        id,
        `Task "${id}" reaches out to the world, and its first failure ends the plan: give it on_failure retry, replan or skip.`,
        "input",
      );
    if (!used.has(id) && !last.has(id))
      finder.add(
        "info",
        "orphan_task",
        id,
        `Nothing uses the result of task "${id}", and it is not in the last phase.`,
      );
    disconnected(task, finder);
  }
}

const MANY = 3;
const TOO_MANY = 10;

function parallelWork(phases: readonly PlanTask[][], finder: Finder): void {
  phases.forEach((phase, i) => {
    const [first] = phase;
    const gated = phases.slice(i + 1).some((later) => later.some(({ type }) => type === "synthesis_gate"));
    if (phase.length >= MANY && !gated)
      finder.add(
        "warning",
        "missing_gate",
        first?.id ?? null,
        `${phase.length} tasks run at the same time from "${first?.id}" on, and no synthesis gate brings their results together.`,
      );
    if (phase.length > TOO_MANY)
      finder.add(
        "warning",
        "parallel_explosion",
        first?.id ?? null,
        `${phase.length} tasks run in one phase from "${first?.id}" on: take fewer, or split the plan.`,
      );
  });
}

const OUTSIDE = /search|fetch|api|web|http|request|query|external/i;

const isOptimistic = ({ type, input, critical, on_failure }: PlanTask): boolean =>
  type === "task" && critical && on_failure === "stop" && OUTSIDE.test(prettyText(input));

/** Every agent sees the upstream results, so this is not a mistake; but a task that needs them should name them. */
function disconnected(task: PlanTask, finder: Finder): void {
  if (task.type !== "task" || task.depends_on.length === 0) return;
  const input = prettyText(task.input);
  const unnamed = task.depends_on.filter((id) => !input.includes(id));
  if (unnamed.length === 0) return;
  const all = unnamed.length === task.depends_on.length;
  const message = `The input of task "${task.id}" does not mention ${unnamed.join(", ")}, on which it depends.`;
  finder.add(all ? "warning" : "info", "disconnected_flow", task.id, message, "input");
}

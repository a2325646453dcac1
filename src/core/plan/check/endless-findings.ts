import type { Plan, PlanTask } from "../definition/plan";
import { ancestorsOf } from "./ancestry";
import type { CheckWorld, Finder } from "./finding";
import { programUse } from "./program-forms";

/** Nobody means more attempts or repairs than this: it is a loop that ends when the money does. */
const MOST_RETRIES = 20;
const MOST_REPLANS = 50;

/** Finds limits that let a plan retry or repair almost without end, and tasks that no run can reach. */
export function endlessFindings(plan: Plan, { options, executor = false }: CheckWorld, finder: Finder): void {
  for (const task of plan.tasks) retryFindings(task, finder);
  const { max_total_replans, max_replan_attempts } = options;
  if (executor && Math.min(max_total_replans, max_replan_attempts * plan.tasks.length) > MOST_REPLANS)
    finder.error(
      "endless_retries",
      null,
      `The plan may be repaired ${max_total_replans} times, ${max_replan_attempts} times for one task: set max_total_replans to ${MOST_REPLANS} at most.`,
    );
  unreachable(plan, finder);
}

const retries = ({ on_failure, on_verification_failure }: PlanTask): boolean =>
  on_failure === "retry" || on_verification_failure === "retry";

function retryFindings(task: PlanTask, finder: Finder): void {
  const { id, max_retries, type, on_verification_failure, depends_on, quality_gate } = task;
  if (retries(task) && max_retries > MOST_RETRIES)
    finder.error(
      "endless_retries",
      id,
      `Task "${id}" may be tried ${max_retries} times more: set max_retries to ${MOST_RETRIES} at most.`,
      "max_retries",
    );
  if (on_verification_failure === "retry" && type === "direct")
    finder.add(
      "warning",
      "retry_changes_nothing",
      id,
      `Task "${id}" is a program: a retry with the same data gives the same result.`,
      "on_verification_failure",
    );
  if (quality_gate === true && (depends_on.length === 0 || type === "human_review"))
    finder.add(
      "info",
      "no_effect",
      id,
      `Task "${id}" has a quality gate, but there is no data to check.`,
      "quality_gate",
    );
}

/**
 * Finds tasks that follow one that can never succeed: a task in a circle, or one whose predicate no result can pass.
 */
function unreachable(plan: Plan, finder: Finder): void {
  const ancestors = ancestorsOf(plan);
  const inCircle = (id: string): boolean => ancestors.get(id)?.has(id) === true;
  const walls = new Set(plan.tasks.filter((task) => inCircle(task.id) || isWall(task)).map(({ id }) => id));
  for (const { id } of plan.tasks) {
    const wall = [...(ancestors.get(id) ?? [])].find((other) => walls.has(other));
    if (wall === undefined || inCircle(id)) continue;
    finder.error("unreachable_task", id, `Task "${id}" is never reached: "${wall}" before it can never succeed.`);
  }
}

function isWall({ verification, on_verification_failure, on_failure, critical }: PlanTask): boolean {
  const constant = verification === null ? null : programUse(verification).constant;
  if (constant === null || constant.value === true) return false;
  if (on_verification_failure === "skip") return false;
  return on_verification_failure === "replan" || (critical && on_failure !== "skip");
}

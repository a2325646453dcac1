import { defined } from "../../base/defined";
import { ok, type Result } from "../../base/failure";
import { repairRunId } from "../../base/ids";
import { issuesOfMade } from "../check/made-plan";
import { isRepeated, sameWords } from "../definition/fingerprint";
import type { PlanOptions } from "../definition/options";
import { tasksById } from "../definition/parse";
import type { Plan, PlanIssue } from "../definition/plan";
import type { ExecutionState } from "../run/execution-state";
import type { PlanHost } from "../run/host";
import type { ReplanContext } from "../run/result";
import { askPlanner, checkedPlan, invalid } from "./planner";
import { repairPrompt } from "./planner-prompts";

/**
 * Asks the planner for a plan in place of one that failed (plan reference, section 5.1). It must be valid, and must not
 * repeat what failed. Reasons: `replan_generation_failed`, `repair_plan_invalid`.
 */
export async function repairPlan(
  host: PlanHost,
  options: PlanOptions,
  state: ExecutionState,
  context: ReplanContext,
): Promise<Result<Plan>> {
  const made = await checkedPlan(
    (issues, attempt) => {
      const id = repairRunId(state.execution_attempts, attempt);
      return askPlanner(host, options, id, repairPrompt(options, state, context, issues));
    },
    (plan) => {
      const issues = issuesOfMade(plan, options, state.completed);
      return issues.length > 0 ? issues : [...repeatedIssues(plan, state), ...changedReviews(plan, state)];
    },
  );
  if (made.kind === "plan") return ok(withPeopleOf(made.plan, state.plan));
  if (made.kind === "invalid")
    return { ok: false, fail: invalid("repair_plan_invalid", "No plan could be made of the repair", made.issues) };
  const { fail } = made;
  return {
    ok: false,
    fail: { reason: "replan_generation_failed", message: fail.message, details: { reason: { ...fail } } },
  };
}

/** The people who decide stay the same: a model does not choose them. */
function withPeopleOf(plan: Plan, before: Plan): Plan {
  const asked = tasksById(before);
  const tasks = plan.tasks.map((task) => ({ ...task, ...defined({ people: asked.get(task.id)?.people }) }));
  return { ...defined({ people: before.people }), ...plan, tasks };
}

/** Running a failed plan again would cost the same and give the same: the model must change something. */
function repeatedIssues(plan: Plan, { completed, failed_plans }: ExecutionState): PlanIssue[] {
  if (!isRepeated(plan, completed, failed_plans)) return [];
  const message =
    "This plan does the same as one that has already failed, only its names or its wording differ. Change what is done: another input, another tool, another way.";
  return [{ severity: "error", category: "repeated_plan", message, task_id: null }];
}

/**
 * A person's decision is a result like any other, and stays. So a repair must not use the id of an answered question
 * for another question: the answer would count for a question that nobody was asked.
 */
function changedReviews(plan: Plan, { plan: before, completed }: ExecutionState): PlanIssue[] {
  const asked = tasksById(before);
  return plan.tasks.flatMap(({ id, type, input }): PlanIssue[] => {
    if (type !== "human_review" || !Object.hasOwn(completed, id)) return [];
    const old = asked.get(id);
    if (old?.type === "human_review" && sameWords(old.input, input)) return [];
    const message = `The review "${id}" was decided for another question. Give the new question a new id.`;
    return [{ severity: "error", category: "changed_review", message, task_id: id }];
  });
}

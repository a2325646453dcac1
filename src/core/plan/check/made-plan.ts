import type { JsonObject } from "../../base/json";
import type { PlanOptions } from "../definition/options";
import type { Plan, PlanIssue } from "../definition/plan";
import { validatePlan } from "../definition/validate";
import { checkPlan } from "./check-plan";

/**
 * Why a plan that a model made may not run. No person has read it, so every error of the check counts, such as a
 * template of an unknown task or an irreversible effect that nobody approves. Signatures that cannot be read are
 * dropped before it runs (plan reference, section 1.5).
 *
 * @param completed results that are there already
 */
export function issuesOfMade(plan: Plan, options: PlanOptions, completed: JsonObject): PlanIssue[] {
  const issues = validatePlan(plan);
  if (issues.length > 0 || !options.check_plans) return issues;
  const parsed = { plan, warnings: [], sources: [], agent_paths: {} };
  const world = { options, tools: options.base_tools, completed: Object.keys(completed) };
  return checkPlan(parsed, world).findings.flatMap(({ severity, category, message, task_id }): PlanIssue[] =>
    severity === "error" && category !== "invalid_signature" ? [{ severity, category, message, task_id }] : [],
  );
}

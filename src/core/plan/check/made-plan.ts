import type { JsonObject } from "../../base/json";
import type { PlanOptions } from "../definition/options";
import type { Plan, PlanIssue } from "../definition/plan";
import { validatePlan } from "../definition/validate";
import { checkPlan } from "./check-plan";

/**
 * What speaks against running a plan that a model made. No person has read it: it is held to all that the check calls an
 * error, such as a template of no task, or what cannot be taken back and nobody is asked. Signatures that cannot be read
 * are left out before it runs (plan reference, section 1.5).
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

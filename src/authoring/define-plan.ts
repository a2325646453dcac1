import { NavigatorError, valueOrThrow } from "../core/base/navigator-error";
import { lostResults } from "../core/plan/check/lost-results";
import { parsePlan } from "../core/plan/definition/parse";
import type { Plan } from "../core/plan/definition/plan";
import { validatePlan } from "../core/plan/definition/validate";

/**
 * Reads and checks a plan: `{tasks, agents?}` (plan reference, sections 1 to 1.4). What its tools and models can do is
 * checked by `checkPlan` of `navigator-agents/plan`.
 *
 * @throws NavigatorError, code `invalid_plan_format` for what is no plan, or `invalid_plan` with every mistake in
 *   `details.issues`
 */
export function definePlan(plan: object): Plan {
  const read = valueOrThrow(parsePlan(plan));
  const invalid = validatePlan(read.plan).filter(({ severity }) => severity === "error");
  const issues = invalid.length > 0 ? invalid : lostResults(read);
  if (issues.length === 0) return read.plan;
  throw new NavigatorError("invalid_plan", issues.map(({ message }) => message).join(" "), { details: { issues } });
}

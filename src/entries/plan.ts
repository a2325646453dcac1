/** `navigator-agents/plan`: plans as plain data, for tools that need no server. */
export {
  type CheckWorld,
  checkPlan,
  type PlanCheck,
  type PlanFinding,
  type WorstCost,
} from "../core/plan/check/check-plan";
export { type PlanOptions, type PlanOptionsInput, parsePlanOptions } from "../core/plan/definition/options";
export { phasesOf } from "../core/plan/definition/order";
export { type ParsedPlan, parsePlan } from "../core/plan/definition/parse";
export type { IssueCategory, Plan, PlanAgent, PlanIssue, PlanTask } from "../core/plan/definition/plan";
export { PLAN_SCHEMA } from "../core/plan/definition/plan-schema";
export { sanitisePlan } from "../core/plan/definition/sanitise";
export { validatePlan } from "../core/plan/definition/validate";

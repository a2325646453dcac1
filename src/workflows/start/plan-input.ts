import { defined } from "../../core/base/defined";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import type { PlanFinding } from "../../core/plan/check/finding";
import { lostResults } from "../../core/plan/check/lost-results";
import { type PlanOptions, type PlanOptionsInput, parsePlanOptions } from "../../core/plan/definition/options";
import { parsePlan } from "../../core/plan/definition/parse";
import { peopleIssues } from "../../core/plan/definition/people-issues";
import type { Plan, PlanIssue } from "../../core/plan/definition/plan";
import { validatePlan } from "../../core/plan/definition/validate";
import type { PlanRunInput } from "../plan-run-input";

/** The input of a plan's start: a written plan, or a mission that the planner makes one for. */
export interface PlanToRun {
  /** Anything that `parsePlan` reads; absent = the planner makes one for the mission. */
  plan?: unknown;
  mission?: string;
  /** With repairs where it fails (PlanExecutor); default: only for a mission without a plan. */
  executor?: boolean;
  /** As in the plan reference, sections 2 and 5.1. */
  options?: PlanOptionsInput;
  /** The principal that asks for the plan. It decides none of the plan's reviews, unless their terms allow it. */
  requested_by?: string;
}

/** Input of the workflow, all of it checked. @throws NavigatorError as `start` */
export function planInput({
  plan: raw,
  mission,
  executor,
  options: given,
  requested_by,
}: { [part in keyof PlanToRun]?: PlanToRun[part] | undefined }): PlanRunInput {
  const options = valueOrThrow(parsePlanOptions({ ...defined({ mission }), ...given }));
  const plan = raw === undefined ? null : readPlan(raw, options);
  if (plan === null) refuseIssues(peopleIssues(null, options));
  if (plan === null && options.mission === null)
    throw new NavigatorError("invalid_input", "There is neither a plan nor a mission to plan for.", {
      hint: "Give `plan` or `mission`; on a command line --mission TEXT.",
      details: { path: "mission" },
    });
  return { plan, mission: options.mission, executor: executor ?? plan === null, options, ...asker(requested_by) };
}

/** @throws NavigatorError `invalid_input` for nobody */
function asker(requested_by: string | undefined): Pick<PlanRunInput, "requested_by"> {
  if (requested_by === undefined) return {};
  if (typeof requested_by === "string" && requested_by.trim() !== "") return { requested_by };
  throw new NavigatorError("invalid_input", "requested_by must be a non-empty text: who asks for the plan.", {
    details: { path: "requested_by" },
  });
}

function readPlan(raw: unknown, options: PlanOptions): Plan {
  const parsed = valueOrThrow(parsePlan(raw));
  const { plan } = parsed;
  const invalid = validatePlan(plan, options).filter(({ severity }) => severity === "error");
  refuseIssues(invalid.length > 0 ? invalid : lostResults(parsed));
  return plan;
}

function refuseIssues(issues: readonly (PlanIssue | PlanFinding)[]): void {
  if (issues.length === 0) return;
  throw new NavigatorError("invalid_plan", issues.map(({ message }) => message).join(" "), {
    details: { issues: issues.map((issue) => ({ ...issue })) },
  });
}

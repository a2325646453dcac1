import { toolTermsProblem } from "../../agent/definition/parse-agent";
import { type ReviewTerms, termsWith, togetherProblem } from "../../review/policy/terms";
import type { PlanOptions } from "./options";
import type { Plan, PlanIssue } from "./plan";

/** The options that decide who may decide. */
export type PeopleOptions = Pick<PlanOptions, "base_tools"> & { people?: ReviewTerms | undefined };

/**
 * Finds reviews of a plan that nobody could decide, by the options, the plan, its tasks and the tools together
 * (approvals reference, section 5).
 *
 * @param plan null: a planner makes it, and names no people
 */
export function peopleIssues(plan: Plan | null, options: PeopleOptions): PlanIssue[] {
  const people = plan?.people === undefined ? options.people : termsWith(options.people, plan.people);
  const issue = (task_id: string | null, message: string): PlanIssue => ({
    severity: "error",
    category: "invalid_people",
    task_id,
    message,
  });
  const whole = plan?.people === undefined ? null : togetherProblem(options.people, plan.people, "the options");
  if (whole !== null) return [issue(null, `people of the plan, ${whole}.`)];
  return [
    ...(plan?.tasks ?? []).flatMap(({ id, type, people: own }) => {
      if (type !== "human_review" || own === undefined) return [];
      const problem = togetherProblem(people, own, "the plan");
      return problem === null ? [] : [issue(id, `people of the task "${id}", ${problem}.`)];
    }),
    ...options.base_tools.flatMap((tool) => {
      const problem = toolTermsProblem(people === undefined ? {} : { people }, tool);
      if (problem === null || typeof tool === "string") return [];
      return [issue(null, `approval of the tool "${tool.name}", ${problem.replace("the agent", "the plan")}.`)];
    }),
  ];
}

import type { Plan, PlanIssue } from "./plan";
import { predicateIssues, signatureIssues } from "./validate";

/**
 * The plan without invalid predicates and signatures, and a warning for each (plan reference, section 1.5). It is
 * better to run a task unchecked than not at all; the executor refuses bad predicates earlier.
 */
export function sanitisePlan(plan: Plan): { plan: Plan; warnings: PlanIssue[] } {
  const warnings: PlanIssue[] = [];
  const tasks = plan.tasks.map((task) => {
    const predicate = predicateIssues(task, "warning");
    const signature = signatureIssues(task);
    warnings.push(...predicate, ...signature);
    return {
      ...task,
      ...(predicate.length > 0 ? { verification: null } : {}),
      ...(signature.length > 0 ? { signature: null } : {}),
    };
  });
  return { plan: { ...plan, tasks }, warnings };
}

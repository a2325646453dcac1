import type { ParsedPlan } from "../definition/parse";
import { Finder, type PlanFinding } from "./finding";
import { programFindings } from "./program-findings";

/**
 * The programs of a plan that read the result of a task on which their own task does not depend. They would get nil, and
 * a text made of it would be empty.
 */
export function lostResults(parsed: ParsedPlan): PlanFinding[] {
  const finder = new Finder(parsed);
  programFindings(parsed.plan, null, finder);
  return finder.found.filter(({ category }) => category === "unknown_result");
}

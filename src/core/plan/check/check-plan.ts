import type { ParsedPlan } from "../definition/parse";
import { signatureIssues, validatePlan } from "../definition/validate";
import { nameOfTool } from "../run/plan-agents";
import { type WorstCost, worstCost } from "./cost";
import { adviceFindings } from "./critic";
import { endlessFindings } from "./endless-findings";
import { type CheckWorld, Finder, type PlanFinding } from "./finding";
import { programFindings } from "./program-findings";
import { templateFindings } from "./template-findings";
import { toolFindings } from "./tool-findings";

export type { WorstCost } from "./cost";
export type { CheckWorld, PlanFinding } from "./finding";

/** The result of the check of a plan: its findings, a score, and the most that it can cost. */
export interface PlanCheck {
  /** No finding is an error. */
  ok: boolean;
  findings: PlanFinding[];
  /** null for a plan that cannot run. */
  cost: WorstCost | null;
  /** 1 to 10: how good the plan looks (plan reference, section 6). */
  score: number;
}

/**
 * Checks a plan before it runs and before anything costs money: its form, its tools, its programs, and its worst cost
 * (plan reference, section 1.4).
 */
export function checkPlan(parsed: ParsedPlan, world: CheckWorld): PlanCheck {
  const { plan, warnings } = parsed;
  const finder = new Finder(parsed);
  for (const { category, message } of warnings) finder.add("warning", category, null, message);
  const issues = validatePlan(plan, world.options);
  for (const { severity, category, task_id, message } of issues)
    finder.add(severity, category, task_id, message, FIELD_OF[category]);
  for (const task of plan.tasks)
    for (const { category, message } of signatureIssues(task)) finder.error(category, task.id, message, "signature");
  templateFindings(plan, world.completed ?? Object.keys(world.options.initial_results), finder);
  const tools = world.tools === null ? null : new Set(world.tools.map(nameOfTool));
  programFindings(plan, tools, finder);
  toolFindings(plan, world, finder);
  endlessFindings(plan, world, finder);
  const ordered = !issues.some(({ category }) => UNORDERED.includes(category));
  if (ordered) adviceFindings(plan, finder);
  const findings = inOrder(finder.found);
  const ok = findings.every(({ severity }) => severity !== "error");
  return { ok, findings, cost: ok ? worstCost(plan, world) : null, score: scoreOf(findings) };
}

const FIELD_OF: { [category: string]: string } = {
  duplicate_id: "id",
  missing_dependency: "depends_on",
  missing_agent: "agent",
  cycle_detected: "depends_on",
  invalid_direct_input: "input",
  invalid_verification: "verification",
  invalid_people: "people",
};
const UNORDERED = ["duplicate_id", "cycle_detected", "empty_plan"];
const SEVERITIES: PlanFinding["severity"][] = ["error", "warning", "info"];

const inOrder = (findings: readonly PlanFinding[]): PlanFinding[] =>
  SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));

function scoreOf(findings: readonly PlanFinding[]): number {
  const count = (wanted: string) => findings.filter(({ severity }) => severity === wanted).length;
  return Math.max(1, Math.round(10 - 3 * count("error") - count("warning") - 0.5 * count("info")));
}

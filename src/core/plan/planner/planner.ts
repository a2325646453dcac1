import { parseAgent } from "../../agent/definition/parse-agent";
import type { PlainCode } from "../../base/error-codes";
import { type Failure, failed, ok, type Result } from "../../base/failure";
import { plannerRunId } from "../../base/ids";
import { issuesOfMade } from "../check/made-plan";
import type { PlanOptions } from "../definition/options";
import { parsePlan } from "../definition/parse";
import type { Plan, PlanIssue } from "../definition/plan";
import type { PlanHappening } from "../run/events";
import type { PlanHost } from "../run/host";
import { inputOfRun, PLANNER_AGENT } from "../run/plan-agents";
import { issuesJson } from "../run/result";
import { PLANNER_ROLE } from "./planner-guide";
import { planPrompt } from "./planner-prompts";

/** The planner: a model that makes a plan, or repairs one (plan reference, section 5.3). */

/** The model's plan, read but not checked; reason `generation_error` or `parse_error`. */
export async function askPlanner(
  host: PlanHost,
  options: PlanOptions,
  id: string,
  prompt: string,
): Promise<Result<Plan>> {
  const agent = parseAgent({
    name: PLANNER_AGENT,
    prompt,
    system_prompt: PLANNER_ROLE,
    output: "text",
    signature: ":map",
    max_turns: 1,
    template: "literal",
  });
  if (!agent.ok) return agent;
  const timeout_ms = options.planner_timeout;
  const wanted = { kind: "planner" as const, agent: agent.value, context: {}, model: options.llm ?? "", timeout_ms };
  const input = inputOfRun(wanted, options, null, host.now());
  const step = await host.runAgent({ id, kind: "planner", task_id: null, input, timeout_ms });
  if (step.fail)
    return failed("generation_error", `The planner made no plan: ${step.fail.message}`, { fail: { ...step.fail } });
  const parsed = parsePlan(step.return, false);
  return parsed.ok ? ok(parsed.value.plan) : failed("parse_error", parsed.fail.message);
}

/**
 * Asks the planner for a plan for a mission, and checks it. A plan that cannot run is sent back once with its mistakes
 * (plan reference, section 5.2). Reason: `planning_failed`; `details.reason` is the cause: `initial_plan_invalid` with
 * its issues, `generation_error`, `parse_error`.
 */
export async function makePlan(host: PlanHost, mission: string, options: PlanOptions): Promise<Result<Plan>> {
  const emit = (event: PlanHappening) =>
    host.emit({ ...event, at: host.now(), place: { execution: 0, phase: null, task: 0 } });
  emit({ type: "planning_started", mission });
  const made = await checkedPlan(
    (issues, attempt) => askPlanner(host, options, plannerRunId(attempt), planPrompt(mission, options, issues)),
    (plan) => issuesOfMade(plan, options, options.initial_results),
    (issues) => emit({ type: "planning_retry", validation_errors: issues.length }),
  );
  if (made.kind === "plan") {
    emit({ type: "planning_finished", task_count: made.plan.tasks.length, plan: made.plan });
    return ok(made.plan);
  }
  const inner =
    made.kind === "invalid"
      ? invalid("initial_plan_invalid", "The planner made no plan that can be run", made.issues)
      : made.fail;
  const fail: Failure = { reason: "planning_failed", message: inner.message, details: { reason: { ...inner } } };
  emit({ type: "planning_failed", reason: fail });
  return { ok: false, fail };
}

export type Made =
  | { kind: "plan"; plan: Plan }
  | { kind: "invalid"; issues: PlanIssue[] }
  | { kind: "none"; fail: Failure };

/** Asks for a plan, and once more if it has mistakes. */
export async function checkedPlan(
  ask: (issues: readonly PlanIssue[], attempt: number) => Promise<Result<Plan>>,
  check: (plan: Plan) => PlanIssue[],
  refused?: (issues: readonly PlanIssue[]) => void,
): Promise<Made> {
  let issues: PlanIssue[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    const plan = await ask(issues, attempt);
    if (!plan.ok) return { kind: "none", fail: plan.fail };
    issues = check(plan.value).filter(({ severity }) => severity === "error");
    if (issues.length === 0) return { kind: "plan", plan: plan.value };
    if (attempt === 1) refused?.(issues);
  }
  return { kind: "invalid", issues };
}

/** Returns the failure of a plan with its issues. */
export const invalid = (reason: PlainCode, message: string, issues: readonly PlanIssue[]): Failure => ({
  reason,
  message: `${message}: ${issues.map((issue) => issue.message).join(" ")}`,
  details: { issues: issuesJson(issues) },
});

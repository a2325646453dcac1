import type { Failure } from "../base/failure";
import { fingerprintOf } from "./definition/fingerprint";
import type { PlanOptions } from "./definition/options";
import type { Plan, PlanTask } from "./definition/plan";
import { sanitisePlan } from "./definition/sanitise";
import { validatePlan } from "./definition/validate";
import { repairPlan } from "./planner/repair";
import { historyRecord } from "./planner/replan-history";
import { replanContext } from "./run/combine";
import type { PlanHappening } from "./run/events";
import { type ExecutionState, metadataOf } from "./run/execution-state";
import { type PlanHost, placeOfRun } from "./run/host";
import { type ExecutionResult, issuesJson, type PlanResult, type ReplanContext } from "./run/result";
import { entryOf, withMapEntry } from "./run/run-state";
import { newRunState, openPlanRun, type PlanRun } from "./run/runner";

export type { ExecutionState } from "./run/execution-state";

/**
 * A new execution of a plan, or why it may not run (plan reference, section 5.1). A bad plan is refused before anything
 * happens, and no event is sent.
 */
export function startExecution(
  host: PlanHost,
  plan: Plan,
  mission: string,
  options: PlanOptions,
): { ok: true; state: ExecutionState } | { ok: false; result: ExecutionResult } {
  const issues = validatePlan(plan).filter(({ severity }) => severity === "error");
  if (issues.length > 0) {
    const reason: Failure = {
      reason: "invalid_plan",
      message: issues.map(({ message }) => message).join(" "),
      details: { issues: issuesJson(issues) },
    };
    return { ok: false, result: { status: "error", reason, metadata: null, task_results: [] } };
  }
  const state: ExecutionState = {
    mission,
    plan: sanitisePlan(plan).plan,
    started_at: host.now(),
    completed: options.initial_results,
    reviews: options.reviews,
    journal: options.journal,
    execution_attempts: 0,
    replan_count: 0,
    replans_of: {},
    history: [],
    failed_plans: [],
    task_results: [],
    run: null,
    repair: null,
  };
  const event: PlanHappening = { type: "execution_started", mission, task_count: plan.tasks.length };
  host.emit({ ...event, at: host.now(), place: { execution: 1, phase: -1, task: 0 } });
  return { ok: true, state };
}

/** Opens an execution from its state. */
export const openExecution = (host: PlanHost, options: PlanOptions, state: ExecutionState): PlanExecution =>
  new PlanExecution(host, options, state);

/** Executes a plan with its repairs to the end, on a host that need not stop in between. */
export async function executePlan(
  host: PlanHost,
  plan: Plan,
  mission: string,
  options: PlanOptions,
): Promise<ExecutionResult> {
  const started = startExecution(host, plan, mission, options);
  if (!started.ok) return started.result;
  const execution = openExecution(host, options, started.state);
  for (;;) {
    const result = await execution.advance();
    if (result !== null) return result;
  }
}

/** Executes a plan, repairs it when it fails, and executes the repaired plan, within the limits of the options. */
export class PlanExecution {
  private run: PlanRun | null = null;

  constructor(
    private readonly host: PlanHost,
    private readonly options: PlanOptions,
    private s: ExecutionState,
  ) {}

  /** The state of the executor; it is complete between two steps. */
  get state(): ExecutionState {
    return this.run === null ? this.s : { ...this.s, run: this.run.state };
  }

  /** A phase of the plan, or its repair. Null if another step follows. */
  async advance(): Promise<ExecutionResult | null> {
    if (this.s.repair !== null) return this.repair(this.s.repair);
    const run = this.opened();
    const result = await run.phase();
    if (result === null) return null;
    this.close(run, result);
    switch (result.status) {
      case "ok":
        return this.finish({ status: "ok", metadata: this.metadata(), task_results: result.task_results });
      case "waiting": {
        const { pending, task_results } = result;
        return this.finish({ status: "waiting", pending, metadata: this.metadata(), task_results });
      }
      case "replan_required":
        return this.failedWith(result.context);
      case "error":
        return this.ended(result.task_id, result.reason);
    }
  }

  private opened(): PlanRun {
    if (this.run !== null) return this.run;
    const { s } = this;
    if (s.run === null) this.s = { ...s, execution_attempts: s.execution_attempts + 1 };
    const { completed: initial_results, reviews, journal, execution_attempts } = this.s;
    const begun = s.run ?? newRunState({ initial_results, reviews, journal }, execution_attempts);
    const options = s.mission === "" ? this.options : { ...this.options, mission: s.mission };
    const opened = openPlanRun(this.host, s.plan, options, begun);
    // It was checked before: a mistake now is a bug of ours.
    if (!opened.ok) throw new Error(opened.fail.message);
    this.run = opened.value;
    return opened.value;
  }

  private close({ state: { results, reviews, journal } }: PlanRun, { task_results }: PlanResult): void {
    this.run = null;
    this.s = { ...this.s, run: null, completed: results, reviews, journal, task_results };
  }

  /** A critical task failed. If replans are allowed, another plan is made. */
  private ended(task_id: string, fail: Failure): ExecutionResult | null {
    if (this.options.max_total_replans === 0)
      return this.error({
        reason: "task_failed",
        message: `Task "${task_id}" failed: ${fail.message}`,
        details: { task_id, reason: { ...fail } },
      });
    const { plan, completed } = this.s;
    const task = plan.tasks.find(({ id }) => id === task_id) as PlanTask;
    const diagnosis = `Task '${task_id}' failed: ${fail.message}`;
    return this.failedWith(replanContext(plan, task, null, diagnosis, completed));
  }

  /** The plan failed: it is repaired next, unless the limit is reached. */
  private failedWith(context: ReplanContext): ExecutionResult | null {
    const { task_id, diagnosis } = context;
    const { max_total_replans, max_replan_attempts } = this.options;
    this.emit({ type: "verification_failed", task_id, diagnosis });
    const { replan_count, replans_of } = this.s;
    if (replan_count >= max_total_replans)
      return this.error({
        reason: "max_replans_exceeded",
        message: `The plan was repaired ${replan_count} time(s), which is all that is allowed. Last: ${diagnosis}`,
        details: { limit: "total", count: max_total_replans },
      });
    if ((entryOf(replans_of, task_id) ?? 0) >= max_replan_attempts)
      return this.error({
        reason: "max_replans_exceeded",
        message: `The plan was repaired ${max_replan_attempts} time(s) for task "${task_id}", which is all that is allowed. Last: ${diagnosis}`,
        details: { limit: "per_task", task_id, count: max_replan_attempts },
      });
    this.emit({ type: "replan_started", task_id, diagnosis, total_replans: replan_count + 1 });
    const failed = fingerprintOf(this.s.plan, this.s.completed);
    this.s = { ...this.s, repair: context, failed_plans: [...this.s.failed_plans, failed] };
    return null;
  }

  private async repair(context: ReplanContext): Promise<ExecutionResult | null> {
    const { host, options } = this;
    await host.sleep(options.replan_cooldown_ms);
    const repaired = await repairPlan(host, options, this.s, context);
    const replan_count = this.s.replan_count + 1;
    this.s = { ...this.s, replan_count, repair: null };
    if (!repaired.ok) return this.error(repaired.fail);
    const { plan } = sanitisePlan(repaired.value);
    this.emit({ type: "replan_finished", new_tasks: plan.tasks.length });
    this.openAgain(plan);
    const { task_id } = context;
    const record = historyRecord(context, replan_count, host.now(), plan.tasks.length);
    this.s = {
      ...this.s,
      plan,
      replans_of: withMapEntry(this.s.replans_of, task_id, (entryOf(this.s.replans_of, task_id) ?? 0) + 1),
      history: [...this.s.history, record],
    };
    return null;
  }

  /** A task whose result the new plan does not keep: what it has done may be asked for again under another name. */
  private openAgain({ tasks }: Plan): void {
    const kept = new Set(tasks.map(({ id }) => id));
    for (const task_id of Object.keys(this.s.completed))
      if (!kept.has(task_id)) this.host.effects?.sentBack(placeOfRun({ kind: "task", task_id }));
  }

  private error(reason: Failure): ExecutionResult {
    const { task_results } = this.s;
    return this.finish({ status: "error", reason, metadata: this.metadata(), task_results });
  }

  private finish(result: ExecutionResult): ExecutionResult {
    const duration_ms = this.host.now() - this.s.started_at;
    this.emit({ type: "execution_finished", status: result.status, duration_ms });
    return result;
  }

  private metadata() {
    return metadataOf(this.s, this.host.now());
  }

  private emit(event: PlanHappening): void {
    const execution = this.s.execution_attempts;
    this.host.emit({ ...event, at: this.host.now(), place: { execution, phase: null, task: 0 } });
  }
}

import { failed, ok, type Result } from "../../base/failure";
import { planTaskRunId, qualityGateRunId } from "../../base/ids";
import type { Json, JsonObject } from "../../base/json";
import type { UndoStep } from "../../effects/undo/undo-plan";
import { undoScopes, withoutTasks } from "../../effects/undo/undo-scopes";
import { reviewRequest } from "../../review/kinds";
import { termsWith } from "../../review/policy/terms";
import type { PlanOptions } from "../definition/options";
import { phasesOf } from "../definition/order";
import type { Plan, PlanTask } from "../definition/plan";
import { sanitisePlan } from "../definition/sanitise";
import { validatePlan } from "../definition/validate";
import { combinePhase } from "./combine";
import { allEnded, Places } from "./concurrency";
import type { TaskHappening } from "./events";
import { type PlanHost, placeOfRun } from "./host";
import type { TaskOutcome } from "./outcome";
import { inputOfRun } from "./plan-agents";
import { issuesJson, type PlanResult } from "./result";
import { entryOf, merged, type PlanRunState, withMapEntry, withoutEntry } from "./run-state";
import { type PausedTask, runTask } from "./task-attempts";
import type { TaskPort } from "./task-port";

export type { PlanRunState } from "./run-state";

/** The state of an execution that has not begun. */
export const newRunState = (
  { initial_results, reviews, journal }: Pick<PlanOptions, "initial_results" | "reviews" | "journal">,
  execution = 1,
): PlanRunState => ({
  execution,
  phase: 0,
  results: initial_results,
  outcomes: {},
  task_results: [],
  reviews,
  journal,
});

/**
 * Opens one execution of a plan, new or from its state (plan reference, section 2). A plan without an order (repeated
 * ids, a circle) is refused with `invalid_plan`.
 */
export function openPlanRun(host: PlanHost, plan: Plan, options: PlanOptions, state?: PlanRunState): Result<PlanRun> {
  const issues = validatePlan(plan).filter(({ category }) => UNORDERED.includes(category));
  if (issues.length > 0)
    return failed("invalid_plan", issues.map(({ message }) => message).join(" "), { issues: issuesJson(issues) });
  const people = plan.people === undefined ? {} : { people: termsWith(options.people, plan.people) };
  return ok(new PlanRun(host, sanitisePlan(plan).plan, { ...options, ...people }, state ?? newRunState(options)));
}

const UNORDERED = ["duplicate_id", "cycle_detected"];

/** Executes a plan to its end, on a host that need not stop between phases. */
export async function runPlan(host: PlanHost, plan: Plan, options: PlanOptions): Promise<Result<PlanResult>> {
  const run = openPlanRun(host, plan, options);
  if (!run.ok) return run;
  for (;;) {
    const result = await run.value.phase();
    if (result !== null) return ok(result);
  }
}

/** Runs the phases of a plan one after another; within a phase all tasks at once, up to the limit. */
export class PlanRun {
  private s: PlanRunState;
  private readonly phases: PlanTask[][];
  private readonly position: ReadonlyMap<string, number>;

  constructor(
    private readonly host: PlanHost,
    private readonly plan: Plan,
    private readonly options: PlanOptions,
    state: PlanRunState,
  ) {
    this.s = { ...state, outcomes: { ...state.outcomes } };
    this.phases = phasesOf(plan);
    this.position = new Map(plan.tasks.map(({ id }, i) => [id, i]));
  }

  /** Complete between two phases, and after a pause; during a phase it has the finished tasks. */
  get state(): PlanRunState {
    return { ...this.s, outcomes: { ...this.s.outcomes } };
  }

  /** One phase, or the rest of it. Null if there is more to do: another phase, or the rest after a pause. */
  async phase(): Promise<PlanResult | null> {
    const tasks = this.phases[this.s.phase];
    if (tasks === undefined) return this.finished();
    this.skipCompleted(tasks);
    const paused = await this.runTasks(tasks.filter(({ id }) => !Object.hasOwn(this.s.outcomes, id)));
    if (paused) return null;
    const { end, state } = combinePhase(this.plan, this.s, tasks);
    this.s = state;
    if (end !== null) return { ...end, ...this.common() };
    return this.phases[state.phase] === undefined ? this.finished() : null;
  }

  private finished(): PlanResult {
    return { status: "ok", results: this.s.results, ...this.common() };
  }

  private common() {
    const { task_results, journal } = this.s;
    const rank = ({ task_id }: { task_id: string }) => this.position.get(task_id) as number;
    return {
      task_results: [...task_results].sort((a, b) => rank(a) - rank(b)),
      ...(journal === null ? {} : { journal }),
    };
  }

  private skipCompleted(tasks: readonly PlanTask[]): void {
    const given = tasks.filter(({ id }) => Object.hasOwn(this.s.results, id) && !Object.hasOwn(this.s.outcomes, id));
    for (const task of given) {
      this.emit(task, { type: "task_skipped", task_id: task.id, reason: "already_completed" });
      this.note(task, { kind: "given", duration_ms: 0 });
    }
  }

  /** True if it was paused before all had run. Reviews do not count against the limit: people may take days. */
  private async runTasks(tasks: readonly PlanTask[]): Promise<boolean> {
    const places = new Places(this.options.max_concurrency);
    const { options, plan } = this;
    const world = { plan, options, results: this.s.results };
    let paused = false;
    let broken = false;
    const work = async (task: PlanTask): Promise<void> => {
      const needsPlace = task.type !== "human_review";
      if (needsPlace) await places.take();
      try {
        if (broken || paused) return;
        paused = this.host.shouldPause?.() === true;
        if (paused) return;
        const outcome = await runTask(this.portOf(task), world, task, entryOf(this.s.waiting ?? {}, task.id));
        if (outcome.kind !== "paused") return this.note(task, outcome);
        paused = true;
        this.noteWaiting(task, outcome);
      } catch (error) {
        broken = true;
        throw error;
      } finally {
        if (needsPlace) places.give();
      }
    };
    await allEnded(tasks.map(work));
    return paused;
  }

  private note({ id }: PlanTask, outcome: TaskOutcome): void {
    if (outcome.kind === "ok") this.host.effects?.succeeded(placeOfRun({ kind: "task", task_id: id }));
    // In place: a phase may have thousands of tasks. Ids come from models: `__proto__` is an ordinary id.
    const own = { value: outcome, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(this.s.outcomes, id, own);
    const { waiting, ...rest } = this.s;
    if (waiting === undefined || !Object.hasOwn(waiting, id)) return;
    const left = withoutEntry(waiting, id);
    this.s = Object.keys(left).length === 0 ? rest : { ...rest, waiting: left };
  }

  private noteWaiting({ id }: PlanTask, { kind: _, ...waiting }: PausedTask): void {
    this.s = { ...this.s, waiting: withMapEntry(this.s.waiting ?? {}, id, waiting) };
  }

  private emit({ id }: PlanTask, event: TaskHappening): void {
    const place = { execution: this.s.execution, phase: this.s.phase, task: this.position.get(id) as number };
    this.host.emit({ ...event, at: this.host.now(), place });
  }

  private portOf(task: PlanTask): TaskPort {
    const { host, options } = this;
    const idOf = (attempt: number, isGate = false) =>
      isGate ? qualityGateRunId(this.s.execution, task.id) : planTaskRunId(this.s.execution, task.id, attempt);
    return {
      run: async (wanted, attempt) => {
        const isGate = wanted.kind === "quality_gate";
        const journal = isGate ? null : this.journalOf(task);
        const input = inputOfRun(wanted, options, journal, host.now());
        const { kind, timeout_ms } = wanted;
        const step = await host.runAgent({ id: idOf(attempt, isGate), kind, task_id: task.id, input, timeout_ms });
        if (journal !== null && step.journal !== null) this.keepJournal(task, step.journal);
        return step;
      },
      review: (pending, attempt): Promise<Json> =>
        host.review({
          ...pending,
          id: idOf(attempt),
          request: reviewRequest("plan_review", {
            ...pending,
            terms: termsWith(options.people, task.people ?? {}),
          }),
        }),
      undo: async () => {
        const { effects } = host;
        if (effects === undefined || host.undoEffect === undefined) return null;
        const undo = (step: UndoStep) =>
          (host as Required<PlanHost>).undoEffect(step, `on_failure of task "${task.id}"`);
        const work = await undoScopes(effects, [effects.scopeOf(placeOfRun({ kind: "task", task_id: task.id }))], undo);
        const journal = withoutTasks(this.journalOf(task), work.tasks);
        if (journal !== null) this.keepJournal(task, journal);
        return work;
      },
      emit: (event) => this.emit(task, event),
      now: () => host.now(),
      sleep: (ms) => host.sleep(ms),
      reviews: this.s.reviews,
      waitsForReviews: options.on_review === "wait",
    };
  }

  private journalOf({ id }: PlanTask): JsonObject | null {
    return this.s.journal === null ? null : (entryOf(this.s.journal, id) ?? {});
  }

  /** The next attempt starts with the records of this one, so that nothing is done twice. */
  private keepJournal({ id }: PlanTask, journal: JsonObject): void {
    const all = this.s.journal ?? {};
    this.s = { ...this.s, journal: merged(all, [[id, journal]]) as { [task_id: string]: JsonObject } };
  }
}

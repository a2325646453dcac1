import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import {
  allHandlersFinished,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import { UsageMeter } from "../../core/agent/budget/mission-usage";
import { usageOfStep } from "../../core/agent/budget/usage-of-step";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { planRunWorkflowId } from "../../core/base/ids";
import type { Json, JsonObject } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { sameFormat } from "../../core/base/run-format";
import { withoutEffects } from "../../core/effects/given-ledger";
import { MissionLedger } from "../../core/effects/mission-ledger";
import type { Plan } from "../../core/plan/definition/plan";
import { readPlanInput } from "../../core/plan/definition/read-plan-input";
import { openExecution, type PlanExecution, startExecution } from "../../core/plan/executor";
import { makePlan } from "../../core/plan/planner/planner";
import type { PlanEvent } from "../../core/plan/run/events";
import { resultsOfRun, resultsSoFar } from "../../core/plan/run/execution-state";
import { PlanPaused } from "../../core/plan/run/host";
import { openPlanRun, type PlanRun } from "../../core/plan/run/runner";
import { withTaken } from "../../core/plan/run/taken-plan";
import { OwnChain } from "../chain/own-chain";
import { checkedInput } from "../checked-input";
import { DecisionVerifier } from "../decision-verifier";
import { effectLines } from "../effect-lines";
import { failedRun } from "../failures";
import { historyIsLong, IdleSignals, LONG_RUN_TASK_TIMEOUT_MS } from "../history-limits";
import { continuedMemo, ShownInbox } from "../inbox/shown-inbox";
import { usageMemo } from "../inbox/usage-memo";
import { listenForEffects } from "../listen-for-effects";
import * as messages from "../messages";
import type { ContinuedPlan, PlanRunInput, PlanRunResult, PlanStatus } from "../plan-run-input";
import { listenForDecisions, RequestedReviews, reviewBook } from "../reviews";
import { RunPause } from "../run-pause";
import { setDetailsWhenAsked } from "../sdk/details-when-asked";
import { whenReset } from "../sdk/resets";
import { takeUnreadableSignals } from "../sdk/unreadable-signals";
import { askingAttributes, statusAttributes } from "../search-attributes";
import { Interruption } from "../waits/interruption";
import { EventLog } from "./event-log";
import { planDetails } from "./plan-details";
import { WorkflowPlanHost } from "./plan-host";
import { Progress } from "./progress";

/**
 * A plan: phase by phase, each task a child workflow (engine reference, section 8; plan reference, sections 2, 5 and
 * 9). The core decides what comes next; this workflow runs it, waits for people, and keeps the events. A plan that failed
 * fails its workflow, with its result as the details of the failure.
 */
export async function planRun(raw: PlanRunInput): Promise<PlanRunResult> {
  takeUnreadableSignals();
  const read = checkedInput<PlanRunInput>(raw, readPlanInput);
  const input = withoutTaken(withTaken(read, read.retry?.taken));
  const run = new PlanWorkflow(input);
  run.listen();
  return run.run();
}

/** Removes the taken results: the options contain them, for this run and those that continue it. */
function withoutTaken({ retry, ...input }: PlanRunInput): PlanRunInput {
  if (retry === undefined) return input;
  const { taken: _, ...given } = retry;
  return { ...input, retry: given };
}

class PlanWorkflow {
  private readonly reviews: RequestedReviews;
  private readonly host: WorkflowPlanHost;
  private readonly events: EventLog;
  private readonly progress: Progress;
  private refusedSignals: number;
  private state: PlanStatus["state"] = "running";
  private openReviews = 0;
  private result: PlanRunResult | undefined;
  private execution: PlanExecution | null = null;
  private single: PlanRun | null = null;
  private readonly inbox: ShownInbox;
  private readonly chain: OwnChain;
  /** The usage of its agents. */
  private readonly used: UsageMeter;
  private readonly idle = new IdleSignals();
  /** Signals have made the history long while the plan waits. */
  private readonly moveOn = new Interruption();
  private readonly pause: RunPause;

  constructor(private readonly input: PlanRunInput) {
    const { carried } = input;
    const { workflowId } = workflowInfo();
    const below = (carried?.agents ?? []).map((id) => planRunWorkflowId(workflowId, id));
    this.pause = new RunPause(carried?.pause, below);
    const { reviews, count, places }: Partial<ContinuedPlan["reviews"]> = carried?.reviews ?? {};
    this.reviews = new RequestedReviews(reviewBook({ reviews, count }, input.requested_by), () => this.asked(), places);
    this.chain = new OwnChain(carried?.chain, reviews ?? []);
    this.reviews.onDecision = () => this.chain.advanceClock();
    this.reviews.pause = this.pause;
    this.openReviews = this.reviews.book.open().length;
    this.inbox = new ShownInbox({ reviews: this.reviews.book.open() });
    this.events = new EventLog(carried?.events);
    this.progress = new Progress(input.plan ?? carried?.execution?.plan ?? null, this.events.state.events);
    this.refusedSignals = carried?.refused_signals ?? 0;
    this.used = new UsageMeter(carried?.used);
    const onEvent = (event: PlanEvent) => {
      this.events.add(event);
      this.progress.note(event);
    };
    this.host = new WorkflowPlanHost({
      reviews: this.reviews,
      onEvent,
      moveOn: this.moveOn,
      agents: carried?.agents ?? [],
      requestedBy: input.requested_by,
      pause: this.pause,
      agentEnded: (workflowId, ended, { kind }) => {
        this.chain.agentEnded(workflowId, ended);
        if (!ended.step.ok) return;
        const usage = usageOfStep(ended.step.value);
        // After a pause planning begins again, and receives the end of its runs again.
        if (kind === "planner") this.used.set(workflowId, usage);
        else this.used.add(usage);
      },
      effects: new MissionLedger(input.effects ?? { mission: workflowId, lane: "" }, carried?.effects),
      format: sameFormat(input),
    });
  }

  listen(): void {
    whenReset(() => {
      this.chain.reset();
      this.host.effects.doubtAll();
    });
    this.pause.follow(
      () => (this.openReviews > 0 ? "WAITING" : "RUNNING"),
      () => this.chain.advanceClock(),
    );
    this.pause.listen();
    setHandler(messages.planEventsQuery, (offset = 0) => this.events.from(offset));
    setHandler(messages.planStatusQuery, () => this.status());
    setHandler(messages.usageQuery, () => ({ used: this.used.total(), budget: null }));
    setHandler(messages.planResultsQuery, () => this.results());
    listenForEffects(
      () => this.host.effects,
      () => this.refuseSignal(),
    );
    listenForDecisions(this.reviews, new DecisionVerifier(), () => this.refuseSignal());
  }

  private refuseSignal(): void {
    this.refusedSignals += 1;
    if (this.idle.add()) this.moveOn.raise();
  }

  async run(): Promise<PlanRunResult> {
    setDetailsWhenAsked(() => this.details());
    try {
      this.result = await this.untilResult();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      this.state = "cancelled";
      const memo = this.usageMemo();
      if (Object.keys(memo).length > 0) upsertMemo(memo);
      if (this.openReviews > 0 || this.pause.shown) upsertSearchAttributes(statusAttributes("CANCELLED"));
      throw new CancelledFailure("The plan was cancelled; what its tasks had given is in the details.", [
        { results: this.results() },
      ]);
    }
    this.state = this.result.status === "error" ? "failed" : "completed";
    if (this.result.status === "error") upsertSearchAttributes(statusAttributes("FAILED"));
    else if (this.pause.shown) upsertSearchAttributes(statusAttributes("COMPLETED"));
    await condition(allHandlersFinished);
    await this.chain.close(this.usageMemo());
    if (this.result.status === "error") throw failedRun(this.result.reason, this.result as unknown as Json);
    return this.result;
  }

  private async untilResult(): Promise<PlanRunResult> {
    const { input, host } = this;
    const { options, carried } = input;
    if (input.plan !== null && !input.executor) {
      const opened = openPlanRun(host, input.plan, options, carried?.run ?? undefined);
      if (!opened.ok)
        throw ApplicationFailure.nonRetryable(opened.fail.message, opened.fail.reason, opened.fail.details);
      this.single = opened.value;
      return this.steps(() => opened.value.phase());
    }
    const mission = input.mission ?? options.mission ?? "";
    if (carried?.execution) this.execution = openExecution(host, options, carried.execution);
    else {
      const plan = input.plan ?? (await this.planned(mission));
      if ("status" in plan) return plan;
      this.progress.plan(plan);
      const started = startExecution(host, plan, mission, options);
      if (!started.ok) return started.result;
      this.execution = openExecution(host, options, started.state);
    }
    const execution = this.execution;
    return this.steps(async () => {
      const result = await execution.advance();
      this.progress.plan(execution.state.plan);
      return result;
    });
  }

  private async planned(mission: string): Promise<Plan | PlanRunResult> {
    this.state = "planning";
    const made = await this.resumed(() => makePlan(this.host, mission, this.input.options));
    this.state = "running";
    return made.ok ? made.value : { status: "error", reason: made.fail, metadata: null, task_results: [] };
  }

  /** Between two steps a long run continues as new, with everything it needs. */
  private async steps(step: () => Promise<PlanRunResult | null>): Promise<PlanRunResult> {
    for (;;) {
      const result = await this.resumed(step);
      if (result !== null) return fitted(result);
      if (historyIsLong() || this.moveOn.isOn) await this.continueAsNew();
    }
  }

  /** Work that a pause ends is done again in the next run, which finds the agents that were started. */
  private async resumed<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof PlanPaused)) throw error;
        await this.continueAsNew();
      }
    }
  }

  private asked(): void {
    this.chain.reviews(this.reviews.all());
    const reviews = this.reviews.book.open();
    const { attributes, memo } = this.inbox.change({ reviews });
    if (reviews.length !== this.openReviews || attributes.length > 0) {
      this.openReviews = reviews.length;
      upsertSearchAttributes([
        ...askingAttributes(reviews.length, this.pause.isOn ? "PAUSED" : undefined),
        ...attributes,
        ...this.chain.attributes(),
      ]);
    }
    if (Object.keys(memo).length > 0) upsertMemo({ ...memo, ...this.usageMemo() });
  }

  private usageMemo(): { [field: string]: unknown } {
    return usageMemo(this.used.total(), this.host.effects.all());
  }

  private status(): PlanStatus {
    const paused = this.state === "running" || this.state === "planning" ? this.pause.on : undefined;
    const state = this.state === "running" && this.openReviews > 0 ? "waiting" : this.state;
    return {
      state: paused === undefined ? state : "paused",
      ...defined({ paused }),
      executions: this.execution?.state.execution_attempts ?? 1,
      replans: this.execution?.state.replan_count ?? 0,
      tasks: this.progress.tasks(),
      open_reviews: this.openReviews,
      refused_signals: this.refusedSignals,
    };
  }

  /** The results of the tasks so far, by id. */
  private results(): JsonObject {
    if (this.execution) return resultsSoFar(this.execution.state);
    return this.single ? resultsOfRun(this.single.state) : {};
  }

  /** The page of the plan, as it is when somebody looks: it has a line for each task, and events come several for each task. */
  private details(): string {
    const effects = effectLines(this.host.effects.all());
    return planDetails(this.status(), this.reviews.book.all(), this.result, effects);
  }

  private async continueAsNew(): Promise<void> {
    await condition(allHandlersFinished);
    // The next run takes it that all of them know.
    if (this.pause.isReporting) await condition(() => !this.pause.isReporting);
    const carried: ContinuedPlan = {
      ...this.chain.continueState(),
      run: this.single?.state ?? null,
      execution: this.execution?.state ?? null,
      events: this.events.state,
      reviews: this.reviews.state(),
      refused_signals: this.refusedSignals,
      ...this.pause.continueState(),
      ...(this.host.started().length === 0 ? {} : { agents: this.host.started() }),
      effects: this.host.effects.state(),
      used: this.used.state(),
    };
    const next: PlanRunInput = {
      ...this.input,
      ...withoutEffects(this.input.effects),
      carried,
    };
    const options = { workflowTaskTimeout: LONG_RUN_TASK_TIMEOUT_MS, ...continuedMemo(this.usageMemo()) };
    const start = makeContinueAsNewFunc<typeof planRun>(options);
    if (jsonBytes(next as unknown as Json) <= MAX_PAYLOAD_BYTES) return start(next);
    // The events are in the history of this run; the plan must continue.
    const light: PlanRunInput = { ...next, carried: { ...carried, events: { events: [], next: carried.events.next } } };
    if (jsonBytes(light as unknown as Json) <= MAX_PAYLOAD_BYTES) await start(light);
    this.moveOn.clear();
    this.idle.stay();
  }
}

/** A value that is too large for one payload is replaced by its size, because the workflow must end. */
function fitted(result: PlanRunResult): PlanRunResult {
  const bytes = jsonBytes(result as unknown as Json);
  if (bytes <= MAX_PAYLOAD_BYTES) return result;
  throw ApplicationFailure.nonRetryable(
    `What the plan gives is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Let tasks give references; each task's own run has its value.`,
    "payload_too_large",
    { bytes },
  );
}

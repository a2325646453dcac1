import { sleep, workflowInfo } from "@temporalio/workflow";
import { failedStep } from "../../core/agent/result/make-step";
import type { Step } from "../../core/agent/result/step";
import type { AgentEnd } from "../../core/agent/run/host";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import type { Result } from "../../core/base/failure";
import { plannerRunId, planRunWorkflowId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { RunFormat } from "../../core/base/run-format";
import type { MissionLedger } from "../../core/effects/mission-ledger";
import type { UndoStep } from "../../core/effects/undo/undo-plan";
import type { PlanEvent } from "../../core/plan/run/events";
import { type PlanAgentRun, type PlanHost, PlanPaused, type PlanReview, placeOfRun } from "../../core/plan/run/host";
import { decidedValue } from "../../core/review/kinds/plan-review";
import type { AgentChild } from "../agent-child";
import type { AgentRunInput } from "../agent-run-input";
import { BlockedCalls } from "../blocked-calls";
import { historyIsLong } from "../history-limits";
import { LastingAgent } from "../lasting-agent";
import type { RequestedReviews } from "../reviews";
import type { RunPause } from "../run-pause";
import { undoOnWorker } from "../undo/undo-effect";
import type { Interruption } from "../waits/interruption";

interface PlanHostParts {
  reviews: RequestedReviews;
  onEvent: (event: PlanEvent) => void;
  /** Signals have made the history long while the plan waits. */
  moveOn: Interruption;
  /** The ids that `started` gave in the run before. */
  agents: readonly string[];
  effects: MissionLedger;
  /** The conventions of the plan: its agents keep them. */
  format: RunFormat;
  /** The principal that asked for the plan. */
  requestedBy: string | undefined;
  pause: RunPause;
  /** Called with the end of each agent. */
  agentEnded: (workflowId: string, ended: AgentEnd, run: PlanAgentRun) => void;
}

/** PlanHost in a workflow: each run is a child workflow, reviews are in the inbox, pauses are timers. */
export class WorkflowPlanHost implements PlanHost {
  readonly effects: MissionLedger;
  private readonly blocked = new BlockedCalls(() => {});
  /** Runs that were started and will be asked for again, by their ids within the plan. null: by an earlier run of this workflow. */
  private readonly agents: Map<string, LastingAgent | null>;

  constructor(private readonly parts: PlanHostParts) {
    this.effects = parts.effects;
    this.agents = new Map(parts.agents.map((id) => [id, null]));
  }

  /** For the run that continues as new. */
  started(): string[] {
    return [...this.agents.keys()];
  }

  async runAgent(run: PlanAgentRun): Promise<Step> {
    const { workflowId: own } = workflowInfo();
    const workflowId = planRunWorkflowId(own, run.id);
    const { pause } = this.parts;
    // The pause comes before the ledger delegates anything. A run that was started is only waited for.
    const paused_ms = pause.isOn && !this.agents.has(run.id) ? await this.untilResumed(run) : 0;
    const place = placeOfRun(run);
    const input: AgentRunInput = {
      ...later(run.input, paused_ms),
      on_waiting: "return",
      ...defined({ requested_by: this.parts.requestedBy }),
      effects: this.effects.delegate(place),
      ...this.parts.format,
    };
    const bytes = jsonBytes(input as unknown as Json);
    const name = run.input.agent.name ?? run.task_id ?? run.kind;
    if (bytes > MAX_PAYLOAD_BYTES)
      return failedStep(
        {
          reason: "payload_too_large",
          message: `What the task would be given is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Let earlier tasks give references.`,
          details: { bytes },
        },
        { name },
      );
    const child = { workflowId, name, summary: `${run.task_id ?? "plan"}: ${run.kind.replace("_", " ")}` };
    pause.begins(workflowId);
    const ended = await this.lasting(run, child, input);
    pause.ended(workflowId);
    this.effects.ended(place, ended.effects);
    this.parts.agentEnded(workflowId, ended, run);
    return ended.step.ok ? ended.step.value : failedStep(ended.step.fail, { name });
  }

  /**
   * Waits until the plan continues. @returns how long it waited, in ms
   * @throws PlanPaused if the plan must continue as new first. Planning cannot be deferred, so it does so after the
   * pause
   */
  private async untilResumed({ kind }: PlanAgentRun): Promise<number> {
    const { moveOn, pause } = this.parts;
    const before = pause.total_ms();
    const moves = () => kind !== "planner" && moveOn.isOn;
    await pause.over(moves);
    if (pause.isOn) throw new PlanPaused();
    return pause.total_ms() - before;
  }

  /** @throws PlanPaused if the plan must continue as new first: the next run asks again, and finds what was started */
  private async lasting({ id, kind }: PlanAgentRun, child: AgentChild, input: AgentRunInput): Promise<AgentEnd> {
    const { moveOn } = this.parts;
    const known = this.agents.get(id);
    // Planning reports its step before each run, so none of its runs may be deferred.
    if (known === undefined && moveOn.isOn && kind !== "planner") throw new PlanPaused();
    const agent =
      known ?? (known === null ? LastingAgent.find(child.workflowId, input) : LastingAgent.start(child, input));
    this.agents.set(id, agent);
    const ended = await agent.endUnless(moveOn);
    if (ended === null) throw new PlanPaused();
    // After a pause planning begins again, and finds the plan that was refused.
    if (kind !== "planner") this.agents.delete(id);
    return ended;
  }

  undoEffect(step: UndoStep, because: string): Promise<Result<Json>> {
    const { pause } = this.parts;
    if (pause.isOn) return pause.over().then(() => this.undoEffect(step, because));
    return undoOnWorker(this.blocked, step, { because });
  }

  /** A waiting review does not stop continue-as-new: the next run finds it. */
  async review({ request, id }: PlanReview): Promise<Json> {
    const { moveOn, reviews } = this.parts;
    const decision = await reviews.requestUnless(() => moveOn.isOn, request, placeOf(id));
    if (decision === null) throw new PlanPaused();
    return decidedValue(decision);
  }

  async sleep(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms);
  }

  now(): number {
    return Date.now();
  }

  emit(event: PlanEvent): void {
    // After a pause planning begins again.
    if (event.type === "planning_started" && this.agents.has(plannerRunId(1))) return;
    if (event.type === "planning_retry" && this.agents.has(plannerRunId(2))) return;
    this.parts.onEvent(event);
  }

  shouldPause(): boolean {
    return historyIsLong() || this.parts.moveOn.isOn;
  }
}

/** The input of a run that waited for the end of a pause: its time begins now. */
const later = (input: PlanAgentRun["input"], paused_ms: number): PlanAgentRun["input"] =>
  paused_ms === 0 || input.deadline_ms == null ? input : { ...input, deadline_ms: input.deadline_ms + paused_ms };

/** The place of a task's review, whatever the attempt. */
const placeOf = (reviewId: string): string => reviewId.slice(0, reviewId.lastIndexOf("/"));

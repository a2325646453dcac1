import { sleep, workflowInfo } from "@temporalio/workflow";
import { failedStep } from "../../core/agent/result/make-step";
import type { Step } from "../../core/agent/result/step";
import { jsonBytes } from "../../core/base/bytes";
import { planRunWorkflowId, planTaskScope } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { PlanEvent } from "../../core/plan/run/events";
import { type PlanAgentRun, type PlanHost, PlanPaused, type PlanReview } from "../../core/plan/run/host";
import { decidedValue } from "../../core/plan/run/review";
import { runAgentChild } from "../agent-child";
import type { AgentRunInput } from "../agent-run-input";
import { historyIsLong } from "../history-limits";
import type { RequestedReviews } from "../reviews";

/** PlanHost in a workflow: each run is a child workflow, reviews are in the inbox, pauses are timers. */
export class WorkflowPlanHost implements PlanHost {
  /** Agents that run. */
  private running = 0;

  constructor(
    private readonly reviews: RequestedReviews,
    private readonly told: (event: PlanEvent) => void,
    /** Signals have made the history long while the plan waits. */
    private readonly mustMove: () => boolean,
  ) {}

  async runAgent(run: PlanAgentRun): Promise<Step> {
    const { workflowId: own } = workflowInfo();
    const workflowId = planRunWorkflowId(own, run.id);
    const input: AgentRunInput = {
      ...run.input,
      on_waiting: "return",
      idempotency_scope:
        run.task_id === null ? workflowId : planTaskScope(own, run.id, run.task_id, run.kind === "quality_gate"),
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
    const summary = `${run.task_id ?? "plan"}: ${run.kind.replace("_", " ")}`;
    this.running += 1;
    try {
      const ended = await runAgentChild({ workflowId, name, summary }, input);
      return ended.ok ? ended.value : failedStep(ended.fail, { name });
    } finally {
      this.running -= 1;
    }
  }

  /** A review that waits while nothing else is under way does not hold continue-as-new up: the next run finds it. */
  async review({ request, id }: PlanReview): Promise<Json> {
    const stop = () => this.mustMove() && this.running === 0;
    const decision = await this.reviews.requestUnless(stop, request, placeOf(id));
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
    // The task started in an earlier run: its review is still open.
    if (event.type === "task_started" && this.reviews.waitsAt(`${event.place.execution}/${event.task_id}`)) return;
    this.told(event);
  }

  shouldPause(): boolean {
    return historyIsLong();
  }
}

/** The place of a task's review, whatever the attempt. */
const placeOf = (reviewId: string): string => reviewId.slice(0, reviewId.lastIndexOf("/"));

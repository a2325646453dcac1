import { sleep, workflowInfo } from "@temporalio/workflow";
import { failedStep } from "../../core/agent/result/make-step";
import type { Step } from "../../core/agent/result/step";
import { jsonBytes } from "../../core/base/bytes";
import { planRunWorkflowId, planTaskScope } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { PlanEvent } from "../../core/plan/run/events";
import type { PlanAgentRun, PlanHost, PlanReview } from "../../core/plan/run/host";
import { decidedValue } from "../../core/plan/run/review";
import { runAgentChild } from "../agent-child";
import type { AgentRunInput } from "../agent-run-input";
import { historyIsLong } from "../history-limits";
import type { RequestedReviews } from "../reviews";

/** PlanHost in a workflow: each run is a child workflow, reviews are in the inbox, pauses are timers. */
export class WorkflowPlanHost implements PlanHost {
  constructor(
    private readonly reviews: RequestedReviews,
    private readonly told: (event: PlanEvent) => void,
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
    const ended = await runAgentChild({ workflowId, name, summary }, input);
    return ended.ok ? ended.value : failedStep(ended.fail, { name });
  }

  async review({ request }: PlanReview): Promise<Json> {
    const decision = await this.reviews.request(request, undefined);
    // Without a deadline nothing but a decision ends it.
    if (!decision.ok) throw new Error(decision.fail.message);
    return decidedValue(decision.value);
  }

  async sleep(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms);
  }

  now(): number {
    return Date.now();
  }

  emit(event: PlanEvent): void {
    this.told(event);
  }

  shouldPause(): boolean {
    return historyIsLong();
  }
}

import type { Step } from "../core/agent/result/step";
import { stepOf } from "../core/agent/run/run";
import { defined } from "../core/base/defined";
import { planRunWorkflowId, workflowIdFor } from "../core/base/ids";
import type { Json } from "../core/base/json";
import type { Price } from "../core/calls/host";
import type { PlanEvent } from "../core/plan/run/events";
import type { PlanAgentRun, PlanHost, PlanReview } from "../core/plan/run/host";
import { decidedValue } from "../core/plan/run/review";
import type { Script } from "../models/scripted";
import { MemoryHost, type MemoryTool, type ScriptedDecision, type SentCall } from "./memory-host";
import { PlanScript } from "./plan-script";
import { VirtualClock } from "./virtual-clock";

export interface MemoryPlanOptions {
  model: Script;
  tools?: ReadonlyMap<string, MemoryTool>;
  tool_times?: { readonly [name: string]: number };
  prices?: { [model: string]: Price };
  /** The decisions on a task's review, one for each time that it is asked. */
  decisions?: { [task_id: string]: readonly ScriptedDecision[] };
  /** Ms since 1970 at the start. */
  now?: number;
}

/** A requested run, and the prompts of its model. */
export interface MadeRun {
  run: PlanAgentRun;
  sent: readonly SentCall[];
}

/** A scenario with a review that waits, and without a decision for it. */
export class NobodyDecides extends Error {
  readonly code = "nobody_decides";
  readonly exitCode = 2;
  constructor(task_id: string) {
    super(`The review "${task_id}" waits for a decision, and the scenario has none left for it: give \`decisions\`.`);
  }
}

const START_OF_TIME = Date.UTC(2030, 0, 1);

/** PlanHost in memory, for simulations and tests: every agent has its own host, and all share one clock. */
export class MemoryPlanHost implements PlanHost {
  readonly clock: VirtualClock;
  readonly events: PlanEvent[] = [];
  readonly runs: MadeRun[] = [];
  private readonly script: PlanScript;
  private readonly asked = new Map<string, number>();

  constructor(private readonly options: MemoryPlanOptions) {
    this.clock = new VirtualClock(options.now ?? START_OF_TIME);
    this.script = new PlanScript(options.model);
  }

  async runAgent(run: PlanAgentRun): Promise<Step> {
    const { tools, tool_times, prices } = this.options;
    const agent = run.input.agent.name ?? null;
    const asking = { run: run.id, task_id: run.kind === "quality_gate" ? null : run.task_id, agent };
    const host: MemoryHost = new MemoryHost({
      model: this.script.modelFor(asking, (ms) => host.sleep(ms)),
      agent,
      scope: planRunWorkflowId(workflowIdFor("plan", "memory"), run.id),
      now: this.now(),
      prices,
      ...defined({ tools, tool_times }),
    });
    this.runs.push({ run, sent: host.sent });
    const step = await stepOf(host.open(run.input));
    await this.clock.until(host.now());
    return step;
  }

  async review({ task_id }: PlanReview): Promise<Json> {
    const count = this.asked.get(task_id) ?? 0;
    this.asked.set(task_id, count + 1);
    const said = this.options.decisions?.[task_id]?.[count];
    if (said === undefined) throw new NobodyDecides(task_id);
    return decidedValue({ ...said, at: this.now() });
  }

  sleep(ms: number): Promise<void> {
    return this.clock.sleep(ms);
  }

  now(): number {
    return this.clock.now();
  }

  emit(event: PlanEvent): void {
    this.events.push(event);
  }
}

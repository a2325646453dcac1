import { workflowIdFor } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { valueOrThrow } from "../../core/base/navigator-error";
import { parsePlanOptions } from "../../core/plan/definition/options";
import { parsePlan } from "../../core/plan/definition/parse";
import { executePlan } from "../../core/plan/executor";
import { PLANNER_AGENT } from "../../core/plan/run/plan-agents";
import type { Model, ModelCall } from "../../models/model";
import { MemoryPlanHost } from "../../simulate/memory-plan-host";
import type { Asking } from "../../simulate/plan-script";
import { MAX_TURNS, payerWith } from "./agents";
import type { DeedService } from "./deed-service";
import type { EffectMission, PlanShape } from "./mission";
import { Person } from "./person";
import { HELPER, programOf } from "./program";
import type { ProofTools } from "./proof-tool";
import { type EffectRun, memoryTools } from "./run-in-memory";
import { asReply, planned, Teller } from "./teller";

/** A mission whose stages are tasks of a plan. */
export type PlannedMission = EffectMission & { plan: PlanShape };

/** Plans in memory have this id. */
export const PLAN_ID = workflowIdFor("plan", "memory");

/** Runs a mission as a plan, in memory. The planner repairs the plan as often as an agent gives up. */
export async function runPlanInMemory(mission: PlannedMission, service: DeedService): Promise<EffectRun> {
  const teller = new PlanTeller(mission, service.tools);
  const person = new Person(teller, PLAN_ID, service);
  const host = new MemoryPlanHost({
    model: (asking) => teller.modelFor(asking),
    ...memoryTools(mission, PLAN_ID, { service, teller }),
    decide: (review, asker) => person.decide(review, asker),
  });
  const options = valueOrThrow(parsePlanOptions({ ...LIMITS, llm: "scripted" }));
  const { plan } = valueOrThrow(parsePlan(teller.plan()));
  const execution = executePlan(host, plan, "Make the payments.", {
    ...options,
    base_tools: payerWith(service.tools).tools,
  });
  const result = await host.clock.during(execution);
  const failed = result.status === "error" ? `${result.reason.reason}: ${result.reason.message}` : null;
  const told = [...teller.told.values()];
  return { end: { failed, told, prints: [], agents_run: host.runs.length, replans: teller.replans, log: "" }, person };
}

const LIMITS = {
  max_turns: MAX_TURNS,
  max_total_replans: MAX_TURNS,
  max_replan_attempts: MAX_TURNS,
  replan_cooldown_ms: 0,
  timeout: 1_000_000,
  check_plans: false,
};

/** The models of a plan: of the planner, of the agents of its tasks, and of the agents below them. */
class PlanTeller extends Teller {
  replans = 0;
  /** How often each stage was told. */
  private readonly counts = new Map<number, number>();
  /** The ids of the tasks of stages, which a repaired plan may change. */
  private ids: string[];

  constructor(
    protected override readonly mission: PlannedMission,
    tools: ProofTools,
  ) {
    super(mission, tools);
    this.ids = mission.stages.map((_, stage) => `stage-${stage}`);
  }

  modelFor({ agent }: Asking): Model {
    return {
      complete: async (call) => {
        if (agent === PLANNER_AGENT) return reply(this.repaired());
        return reply(asReply(call.agent === HELPER ? this.helper(call.messages) : this.task(call)));
      },
    };
  }

  plan(): JsonObject {
    const { stages, plan } = this.mission;
    return {
      agents: { payer: { prompt: "Make the payments.", tools: [...this.tools.names, HELPER] } },
      tasks: stages.map((_, stage) => ({
        id: this.ids[stage] as string,
        agent: "payer",
        input: `Do stage ${stage} in try ${this.replans}.`,
        depends_on: plan.parallel || stage === 0 ? [] : [this.ids[stage - 1] as string],
        on_failure: plan.on_failure[stage] as string,
        max_retries: 1,
        signature: "() -> {deeds [:string]}",
      })),
    };
  }

  private repaired(): string {
    const keeps = this.mission.plan.keeps[this.replans] ?? true;
    this.replans += 1;
    if (!keeps) this.ids = this.ids.map((id) => `${id.split("~")[0]}~${this.replans}`);
    return JSON.stringify(this.plan());
  }

  /** Every program of a stage is the next telling of it, whichever run asks. */
  private task({ messages }: ModelCall): string {
    const number = Number(/Do stage (\d+) /.exec(messages[0]?.content ?? "")?.[1]);
    const stage = this.mission.stages[number];
    if (stage === undefined) throw new Error("The task was not told which stage to do.");
    const telling = this.counts.get(number) ?? 0;
    this.counts.set(number, telling + 1);
    const place = { stage: number, telling, work: 0, attempt: 0 };
    const program = { place, stage, telling: planned(stage.tellings, telling) };
    this.told.set(this.told.size + 1, program);
    return programOf(stage, program.telling, { place, tools: this.tools }, true);
  }
}

const reply = (content: string) => ({ content, model: "scripted" });

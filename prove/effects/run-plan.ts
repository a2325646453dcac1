import { workflowIdFor } from "../../src/core/base/ids";
import type { JsonObject } from "../../src/core/base/json";
import { valueOrThrow } from "../../src/core/base/navigator-error";
import { type PlanOptionsInput, parsePlanOptions } from "../../src/core/plan/definition/options";
import { parsePlan } from "../../src/core/plan/definition/parse";
import { executePlan } from "../../src/core/plan/executor";
import { PLANNER_AGENT } from "../../src/core/plan/run/plan-agents";
import type { ExecutionResult } from "../../src/core/plan/run/result";
import type { ModelCall } from "../../src/models/model";
import { MemoryPlanHost } from "../../src/simulate/memory-plan-host";
import { MAX_TURNS, payerWith } from "./agents";
import type { EffectService } from "./effect-service";
import { type MissionEnd, missionEndOf } from "./judge";
import type { EffectMission, PlanShape } from "./missions/mission";
import { HELPER } from "./missions/program";
import type { ProofTools } from "./missions/proof-tool";
import { Person } from "./person";
import { type EffectRun, memoryTools } from "./run-in-memory";
import { StagedTeller } from "./staged-teller";

/** A mission whose stages are tasks of a plan. */
export type PlannedMission = EffectMission & { plan: PlanShape };

export const isPlanned = (mission: EffectMission): mission is PlannedMission => mission.plan !== undefined;

/** Plans in memory have this id. */
export const PLAN_ID = workflowIdFor("plan", "memory");

/** What a mission is started with as a plan. The planner repairs it as often as an agent gives up. */
export const planOfMission = (teller: PlanTeller, tools: ProofTools) => ({
  plan: teller.plan(),
  mission: "Make the payments.",
  options: { ...LIMITS, llm: "scripted", base_tools: payerWith(tools).tools } satisfies PlanOptionsInput,
});

const LIMITS = {
  max_turns: MAX_TURNS,
  max_total_replans: MAX_TURNS,
  max_replan_attempts: MAX_TURNS,
  replan_cooldown_ms: 0,
  timeout: 1_000_000,
  planner_timeout: 1_000_000,
  check_plans: false,
};

/** Runs a mission as a plan, in memory. */
export async function runPlanInMemory(mission: PlannedMission, service: EffectService): Promise<EffectRun> {
  const teller = new PlanTeller(mission, service.tools);
  const person = new Person(teller, PLAN_ID, service);
  const host = new MemoryPlanHost({
    model: ({ run }) => ({ complete: (call) => teller.answer(call, run) }),
    ...memoryTools(mission, PLAN_ID, { service, teller }),
    decide: (review, asker) => person.decide(review, asker),
  });
  const input = planOfMission(teller, service.tools);
  const { plan } = valueOrThrow(parsePlan(input.plan));
  const execution = executePlan(host, plan, input.mission, valueOrThrow(parsePlanOptions(input.options)));
  return { end: endOfPlan(await host.clock.during(execution), teller, host.runs.length), person };
}

/** What a plan came to. Its agents return what they were answered: nothing is printed that is judged. */
export function endOfPlan(result: ExecutionResult, teller: PlanTeller, agents_run: number): MissionEnd {
  const failed = result.status === "error" ? `${result.reason.reason}: ${result.reason.message}` : null;
  return missionEndOf({ failed, sent: [...teller.sent.values()], agents_run, replans: teller.replans });
}

/** The models of a plan: of the planner, of the agents of its tasks, and of the agents below them. */
export class PlanTeller extends StagedTeller {
  replans = 0;
  /** The ids of the tasks of stages, which a repaired plan may change. */
  private ids: string[];

  constructor(
    protected override readonly mission: PlannedMission,
    tools: ProofTools,
  ) {
    super(mission, tools);
    this.ids = mission.stages.map((_, stage) => `stage-${stage}`);
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
        signature: "() -> {effects [:string]}",
      })),
    };
  }

  protected override contentOf(call: ModelCall): string {
    return call.agent === PLANNER_AGENT ? this.repaired() : super.contentOf(call);
  }

  private repaired(): string {
    const keeps = this.mission.plan.keeps[this.replans] ?? true;
    this.replans += 1;
    if (!keeps) this.ids = this.ids.map((id) => `${id.split("~")[0]}~${this.replans}`);
    return JSON.stringify(this.plan());
  }
}

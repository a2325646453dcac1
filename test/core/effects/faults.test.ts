import type { Step } from "../../../src/core/agent/result/step";
import { stepOf } from "../../../src/core/agent/run/run";
import { defined } from "../../../src/core/base/defined";
import { ok } from "../../../src/core/base/failure";
import { workflowIdFor } from "../../../src/core/base/ids";
import { valueOrThrow } from "../../../src/core/base/navigator-error";
import { parsePlanOptions } from "../../../src/core/plan/definition/options";
import { parsePlan } from "../../../src/core/plan/definition/parse";
import { executePlan } from "../../../src/core/plan/executor";
import { MemoryHost, type MemoryTool } from "../../../src/simulate/memory-host";
import { MemoryPlanHost } from "../../../src/simulate/memory-plan-host";
import { runTaskInMemory } from "../../../src/simulate/memory-task";
import { CountingService, SERVICE_TOOLS } from "../../support/effect-faults/counting-service";
import {
  type AgentMission,
  EFFECT_FAULTS,
  type EffectFault,
  type PlanMission,
  type TaskMission,
} from "../../support/effect-faults/effect-faults";
import { expectFault, type FaultOutcome } from "../../support/effect-faults/fault-outcome";
import { agentInput, listeningModel, planInput, taskInput } from "../../support/effect-faults/mission-inputs";

/** Each fault of the table with the core in memory: runs of agents, plans and tasks on graphs, without a server. */
test.each(EFFECT_FAULTS)("$title", async (fault) => expectFault(fault, await inMemory(fault)));

test("the table has every fault from E1 to E9", () =>
  expect([...new Set(EFFECT_FAULTS.map(({ title }) => title.slice(0, 3)))]).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `E${n}:`),
  ));

async function inMemory(fault: EffectFault): Promise<FaultOutcome> {
  const { mission, decisions = [] } = fault;
  const service = new CountingService();
  const tool: MemoryTool = (args, { name, key }) => ok(service.act(name, args, key));
  const { model, heard, logs } = listeningModel(mission);
  const world = { model, tools: new Map(SERVICE_TOOLS.map(({ name }) => [name, tool])) };
  return { service, heard, logs, ...(await ran()) };

  function ran() {
    switch (mission.kind) {
      case "agent":
        return runAgent(mission, world, decisions);
      case "plan":
        return runPlan(mission, world);
      case "task":
        return runOnGraph(mission, world, decisions);
    }
  }
}

type World = Pick<ConstructorParameters<typeof MemoryHost>[0], "model" | "tools">;
type Ran = Omit<FaultOutcome, "service" | "heard" | "logs">;

async function runAgent(mission: AgentMission, world: World, decisions: string[]): Promise<Ran> {
  const host = new MemoryHost({ ...world, decisions: decisions.map((choice) => ({ choice, by: "anna" })) });
  const run = host.open(agentInput(mission));
  const step = await stepOf(run);
  return {
    ended: step.fail?.message ?? "ok",
    steps: [step],
    effects: run.ledger?.entries() ?? [],
    asked: host.reviews.map(({ data }) => String(data.code)),
  };
}

async function runPlan(mission: PlanMission, { model, tools }: World): Promise<Ran> {
  const { plan, mission: text, options } = planInput(mission);
  const steps: Step[] = [];
  const host = new MemoryPlanHost({ model: () => model, ...defined({ tools }) });
  const execution = executePlan(
    host,
    valueOrThrow(parsePlan(plan)).plan,
    text,
    valueOrThrow(parsePlanOptions(options)),
  );
  const result = await host.clock.during(execution);
  for (const event of host.events) if (event.type === "task_step") steps.push(event.step);
  return { ended: result.status, steps, effects: host.effects.entries(), asked: [] };
}

async function runOnGraph(mission: TaskMission, world: World, decisions: string[]): Promise<Ran> {
  const steps: Step[] = [];
  const left = [...decisions];
  const { task, effects } = await runTaskInMemory(workflowIdFor("task", "faulty"), taskInput(mission, "faulty"), {
    decide: () => left.shift(),
    runAgent: async ({ workflowId, input }) => {
      const host = new MemoryHost({ ...world, agent: input.agent.name ?? null, scope: workflowId });
      const run = host.open(input);
      const step = await stepOf(run);
      steps.push(step);
      return { step: ok(step), ...defined({ effects: run.handedBack() }) };
    },
  });
  return { ended: task.status === "COMPLETED" ? "ok" : task.status, steps, effects, asked: [] };
}

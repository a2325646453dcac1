import { stepOf } from "../../src/core/agent/run/run";
import { defined } from "../../src/core/base/defined";
import { ok } from "../../src/core/base/failure";
import { workflowIdFor } from "../../src/core/base/ids";
import { valueOrThrow } from "../../src/core/base/navigator-error";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { newTask, type Task } from "../../src/core/graph/task/task";
import type { Review } from "../../src/core/review/review";
import type { ModelCall } from "../../src/models/model";
import { EffectGuards } from "../../src/simulate/effect-guards";
import { MemoryHost } from "../../src/simulate/memory-host";
import { runTaskInMemory } from "../../src/simulate/memory-task";
import { payerWith } from "./agents";
import type { EffectService } from "./effect-service";
import { type MissionEnd, missionEndOf } from "./judge";
import type { EffectMission, GraphShape } from "./missions/mission";
import type { ProofTools } from "./missions/proof-tool";
import { type AskedReview, type Decided, Person } from "./person";
import { type EffectRun, memoryTools } from "./run-in-memory";
import { StagedTeller } from "./staged-teller";

/** A mission whose stages are steps of a graph. */
export type GraphMission = EffectMission & { graph: GraphShape };

export const isOnGraph = (mission: EffectMission): mission is GraphMission => mission.graph !== undefined;

/** Tasks in memory have this id. */
export const TASK_ID = workflowIdFor("task", "memory");

/** An agent that gave up tries again: more often than any mission needs. */
const MAX_RETRIES = 20;

/** What a mission is started with as a task on a graph: each stage is a step, and after each is a gate. */
export function taskOfMission({ stages }: GraphMission, id: string, tools: ProofTools) {
  const nodes: { [id: string]: object } = {
    start: { type: "start" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "failure" },
  };
  const edges: object[] = [{ from: "start", to: stepName(0) }];
  for (const number of stages.keys()) {
    const [step, gate] = [stepName(number), gateName(number)];
    const before = [...stages.keys()].slice(0, number + 1);
    nodes[step] = { type: "task", name: step, agent: agentName(number), maxRetries: MAX_RETRIES };
    nodes[gate] = { type: "gate", name: gate, outputs: ["passed", ...before.map(backTo)] };
    edges.push(
      { from: step, to: gate, on: "passed" },
      { from: step, to: step, on: "failed" },
      { from: step, to: "stuck", on: "max_retries_exceeded" },
      { from: gate, to: number + 1 < stages.length ? stepName(number + 1) : "done", on: "passed" },
      ...before.map((to) => ({ from: gate, to: stepName(to), on: backTo(to) })),
    );
  }
  const { definition } = valueOrThrow(parseDefinition({ id: "payments", nodes, edges } as never));
  const agents = Object.fromEntries(
    [...stages.keys()].map((number) => {
      const name = agentName(number);
      return [name, { ...payerWith(tools), name, prompt: `Do stage ${number}.` }];
    }),
  );
  const task = newTask({ id, issueId: "proof", workflowType: definition.id }, definition, Date.UTC(2030, 0, 1));
  return { task, definition, agents, model: "scripted" };
}

const stepName = (stage: number): string => `stage-${stage}`;
const gateName = (stage: number): string => `gate-${stage}`;
const agentName = (stage: number): string => `payer-${stage}`;
const backTo = (stage: number): string => `back to ${stage}`;

/** Runs a mission as a task on a graph, in memory. */
export async function runGraphInMemory(mission: GraphMission, service: EffectService): Promise<EffectRun> {
  const teller = new StagedTeller(mission, service.tools);
  const person = new GatePerson(mission, teller, TASK_ID, service);
  const world = {
    ...memoryTools(mission, TASK_ID, { service, teller }),
    decide: (review: Review, asker: string | null) => person.decide(review, asker),
    guards: new EffectGuards(),
  };
  const begun = taskOfMission(mission, "memory", service.tools);
  let agents_run = 0;
  const { task } = await runTaskInMemory(TASK_ID, begun, {
    decide: (review) => person.decide(review, null).choice,
    runAgent: async ({ workflowId, input }) => {
      agents_run += 1;
      const agent = input.agent.name ?? null;
      const model = { complete: (call: ModelCall) => teller.answer(call, workflowId) };
      const run = new MemoryHost({ ...world, model, agent, scope: workflowId }).open(input);
      const step = ok(await stepOf(run));
      return { step, ...defined({ effects: run.handedBack() }) };
    },
  });
  return { end: endOfTask(task, { teller, person, agents_run }), person };
}

/** What a task came to. Its agents return what they were answered: nothing is printed that is judged. */
export function endOfTask(
  { status, currentStep }: Task,
  { teller, person, agents_run }: { teller: StagedTeller; person: GatePerson; agents_run: number },
): MissionEnd {
  const failed = status === "COMPLETED" ? null : `the task is ${status} at ${currentStep}`;
  const { sentBack: sent_back } = person;
  return missionEndOf({ failed, sent: [...teller.sent.values()], agents_run, sent_back });
}

/** The person who is asked, and who decides at the gates as in the mission. */
export class GatePerson extends Person {
  private readonly decided = new Map<string, number>();

  constructor(
    private readonly mission: GraphMission,
    ...rest: ConstructorParameters<typeof Person>
  ) {
    super(...rest);
  }

  override decide(review: AskedReview, agent: string | null): Decided {
    if (review.kind !== "gate") return super.decide(review, agent);
    const { title } = review;
    const count = this.decided.get(title) ?? 0;
    this.decided.set(title, count + 1);
    const to = this.mission.graph.sends_back[Number(title.slice(gateName(0).length - 1))]?.[count];
    return { choice: to === undefined ? "passed" : backTo(to), by: "proof" };
  }

  /** How often the task was sent back. */
  get sentBack(): number {
    const { sends_back } = this.mission.graph;
    const counts = sends_back.map((list, gate) => Math.min(list.length, this.decided.get(gateName(gate)) ?? 0));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

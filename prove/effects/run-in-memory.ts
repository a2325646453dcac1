import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import type { Step } from "../../src/core/agent/result/step";
import { stepOf } from "../../src/core/agent/run/run";
import { defined } from "../../src/core/base/defined";
import { failed, ok, type Result } from "../../src/core/base/failure";
import type { Json } from "../../src/core/base/json";
import { renderMissionLog } from "../../src/core/journal/mission-log";
import type { EffectGuards } from "../../src/simulate/effect-guards";
import { MemoryHost, type MemoryLookup, type MemoryTool } from "../../src/simulate/memory-host";
import { payerWith } from "./agents";
import type { EffectService } from "./effect-service";
import { type MissionEnd, missionEndOf } from "./judge";
import { faultsOf } from "./missions/faults";
import type { EffectMission } from "./missions/mission";
import { Person } from "./person";
import { Teller } from "./teller";

/** A mission that has run. */
export interface EffectRun {
  end: MissionEnd;
  person: Person;
}

/** What tests break on purpose. */
export interface MemoryOptions {
  agent?: AgentDefinition;
  /** The key that the service is given for a key of the run. */
  keyOf?: (key: string) => string;
  /** Of all missions that share their effects. */
  guards?: EffectGuards;
  /** The other missions. */
  others?: readonly string[];
  /** The flags of the run; default: all of this version. */
  flags?: string[];
}

/** Runs a mission in memory, against this service. */
export async function runMissionInMemory(
  mission: EffectMission,
  id: string,
  service: EffectService,
  { agent = payerWith(service.tools), keyOf, guards, others = [], flags }: MemoryOptions = {},
): Promise<EffectRun> {
  const teller = new Teller(mission, service.tools);
  const person = new Person(teller, id, service, false, others);
  const host = new MemoryHost({
    model: { complete: (call) => teller.answer(call, id) },
    ...memoryTools(mission, id, { service, teller }, keyOf),
    agent: agent.name ?? null,
    scope: id,
    decide: (review, asker) => person.decide(review, asker),
    ...defined({ guards }),
  });
  const run = host.open({
    ...defined({ flags }),
    agent,
    context: {},
    journal: {},
    model: "scripted",
    llm_registry: {},
  });
  const step = await stepOf(run);
  return { end: endOfMission(step, teller, renderMissionLog(run.journal?.list() ?? [])), person };
}

/** The tools of a mission as the in-memory hosts run them, against this service. */
export function memoryTools(
  mission: EffectMission,
  id: string,
  { service, teller }: { service: EffectService; teller: Teller },
  keyOf: (key: string) => string = (key) => key,
) {
  const faults = faultsOf(mission);
  const { all } = service.tools;
  const tool: MemoryTool = (args, { name, key, agent }): Result<Json> => {
    const at = teller.placeOf(service.tools.of(name).effectOf(args), agent);
    const answer = service.call({ mission: id, tool: name, args, key: keyOf(key), at }, faults);
    if (answer.kind === "done") return ok(service.answerOf(answer.act));
    if (answer.kind === "declined") return failed("tool_error", "declined", { tool: name, code: "tool_error" });
    return failed("tool_error", "the answer was lost", { tool: name, code: "unknown_outcome" });
  };
  const lookUp: MemoryLookup = (_, { key }) => {
    const act = service.lookUp(keyOf(key));
    return act === undefined ? { state: "absent" } : { state: "found", value: service.answerOf(act) };
  };
  return {
    tools: new Map(all.map(({ name }) => [name, tool])),
    lookups: new Map(all.map(({ name }) => [name, lookUp])),
  };
}

/** What a mission came to: its Step, its Mission Log, and the feedback to its model. */
export function endOfMission(step: Step, teller: Teller, missionLog: string): MissionEnd {
  const sent = [...teller.sent].sort(([a], [b]) => a - b);
  return missionEndOf({
    failed: step.fail === null ? null : `${step.fail.reason}: ${step.fail.message}`,
    sent: sent.map(([, program]) => program),
    prints: sent.map(([turn]) => step.turns?.[turn - 1]?.prints.join("\n") ?? ""),
    agents_run: step.child_steps.length,
    log: [missionLog, ...step.warnings.map(({ code, message }) => `${code}: ${message}`)].join("\n"),
  });
}

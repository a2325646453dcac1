import type { AgentDefinition } from "../core/agent/definition/definition";
import type { AnyAgent, ReturnOf } from "../core/agent/definition/typed-agent";
import { renderProgress } from "../core/agent/prompt/progress";
import { type Step, withTrace } from "../core/agent/result/step";
import { isWaiting } from "../core/agent/run/outcome";
import { type AgentRun, stepOf } from "../core/agent/run/run";
import { workflowIdFor } from "../core/base/ids";
import type { Json } from "../core/base/json";
import { type EffectEntry, entryForPeople } from "../core/effects/entry";
import { unpackLedger } from "../core/effects/packed-ledger";
import type { UndoRange } from "../core/effects/undo/undo-plan";
import type { OnUndoFailure } from "../core/effects/undo/undo-steps";
import type { JournalDecision } from "../core/journal/decision-input";
import type { Journal } from "../core/journal/journal";
import { renderMissionLog } from "../core/journal/mission-log";
import { keepingChunks } from "../simulate/chunk-recorder";
import { MemoryHost, type MemoryUndo } from "../simulate/memory-host";
import { sentMessages } from "../simulate/simulate-agent";
import { type MemoryUndoEnd, undoMissionInMemory } from "../simulate/undo-mission";
import { checkedAgent } from "../workflows/start/sendable";
import { faultyModel } from "./faults";
import { callInMemory, lookUpInMemory, undoEffectInMemory } from "./memory-calls";
import {
  type MissionOf,
  type MissionRun,
  missionInput,
  type ReadyMission,
  readyMission,
  type TestMission,
  typedRun,
} from "./mission";
import { workerTools } from "./tools";

/**
 * Runs a mission in memory: no server, and no waiting. Days pass at once, for people who do not answer, for retries, for
 * limits. The same mission gives the same answer every time.
 *
 * @throws NavigatorError `invalid_input`, `validation_error` for a context or a return that does not fit, ModelError for a bad script, Error for a mistake in the test itself.
 */
export async function runInMemory<A extends AnyAgent>(
  agent: A,
  mission: MissionOf<A>,
): Promise<MemoryMissionRun<ReturnOf<A>>> {
  return typedRun(agent, await playInMemory(checkedAgent(agent), mission as TestMission));
}

async function playInMemory(agent: AgentDefinition, mission: TestMission): Promise<MemoryMissionRun> {
  const ready = readyMission(agent, mission);
  const { budget } = ready.options;
  const { faults, prices } = ready.given;
  const specs = workerTools(ready.agent);
  const { onChunk, chunks } = keepingChunks(ready.given.onChunk);
  const undos = new Map<string, MemoryUndo>(
    [...ready.effects.tools].map(([name, tool]) => {
      const spec = specs.get(name) ?? tool.spec;
      return [name, (step) => undoEffectInMemory(host, ready.effects, { ...tool, spec }, step)];
    }),
  );
  const scope = workflowIdFor("agent", mission.id ?? "test");
  const host: MemoryHost = new MemoryHost({
    undos,
    model: faultyModel(
      ready.model((ms) => host.sleep(ms)),
      faults,
    ),
    tools: new Map(
      [...ready.effects.tools].map(([name, tool]) => {
        const spec = specs.get(name) ?? tool.spec;
        return [name, (_args, call) => callInMemory(host, ready.effects, { ...tool, spec }, call)];
      }),
    ),
    lookups: new Map(
      [...ready.effects.tools].map(([name, tool]) => [
        name,
        (args, call) => lookUpInMemory(ready.effects, tool, args, call),
      ]),
    ),
    onChunk,
    agent: ready.agent.name ?? null,
    scope,
    decisions: ready.reviewDecisions,
    budget,
    prices,
    guards: mission.guards,
  });
  const { step, entries, ledger, meant } = await untilDone(host, ready);
  return {
    step: withTrace(step),
    journal: step.journal,
    missionLog: renderMissionLog(entries),
    progress: renderProgress(ready.agent.plan, new Map(Object.entries(step.summaries))),
    effects: ready.effects.list,
    ledger,
    messages: sentMessages(host.sent),
    reviews: [...host.reviews],
    chunks,
    undo: (options) => undoMissionInMemory(scope, meant, undos, { ...options, guards: mission.guards }),
  };
}

/** A mission that ran in memory. */
export interface MemoryMissionRun<Return = Json> extends MissionRun<Return> {
  /** Undoes what the mission did, as `client.undo` does on a server. */
  undo(options?: UndoRange & { on_failure?: OnUndoFailure }): Promise<MemoryUndoEnd>;
}

/** All invocations, as the workflow makes them: a parked mission goes on when somebody decides, or its wait runs out. */
async function untilDone(
  host: MemoryHost,
  ready: ReadyMission,
): Promise<{ step: Step; entries: ReturnType<Journal["list"]>; ledger: EffectEntry[]; meant: EffectEntry[] }> {
  const { agent } = ready;
  const decisions = [...ready.decisions];
  let run: AgentRun = host.open(missionInput(ready));
  for (;;) {
    const step = await stepOf(run);
    const { journal } = run;
    const parked = ready.parks && journal !== null && step.fail === null && isWaiting(agent, step.return);
    const ledger = run.ledger?.entries() ?? [];
    // In memory many calls are made at the same time: only the ledger itself knows their order.
    const meant = run.ledger === null ? [] : unpackLedger(run.ledger.handedBack()).map(entryForPeople);
    if (!parked) return { step, entries: journal?.list() ?? [], ledger, meant };
    const decision = decisions.shift() ?? timedOut(host, agent);
    if (decision === null) return { step, entries: journal.list(), ledger, meant };
    const recorded = journal.record(decision);
    if (!recorded.ok) throw new Error(`A decision of the test is refused: ${recorded.fail.message}`);
    host.invocation += 1;
    run = run.reinvoked();
  }
}

function timedOut(host: MemoryHost, { wait_timeout_ms }: AgentDefinition): JournalDecision | null {
  if (wait_timeout_ms === null) return null;
  host.advance(wait_timeout_ms);
  return { id: `wait_timeout_${host.invocation}`, value: true, by: "timer" };
}

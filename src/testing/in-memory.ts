import { checkedAgent } from "../client/sendable";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { renderProgress } from "../core/agent/prompt/progress";
import { type Step, withTrace } from "../core/agent/result/step";
import { isWaiting } from "../core/agent/run/outcome";
import { type AgentRun, stepOf } from "../core/agent/run/run";
import { workflowIdFor } from "../core/base/ids";
import type { JournalDecision } from "../core/journal/decision-input";
import type { Journal } from "../core/journal/journal";
import { renderMissionLog } from "../core/journal/mission-log";
import { scriptedModel } from "../models/scripted";
import { keepingChunks } from "../simulate/chunk-recorder";
import { MemoryHost } from "../simulate/memory-host";
import { sentMessages } from "../simulate/simulate-agent";
import { faultyModel } from "./faults";
import { callInMemory } from "./memory-calls";
import { type MissionRun, missionInput, type ReadyMission, readyMission, type TestMission } from "./mission";
import { workerTools } from "./tools";

/**
 * Runs a mission in memory: no server, and no waiting. Days pass at once, for people who do not answer, for retries, for
 * limits. The same mission gives the same answer every time.
 *
 * @throws NavigatorError `invalid_run_options`, ModelError for a bad script, Error for a mistake in the test itself.
 */
export async function runInMemory(agent: AgentDefinition | string, mission: TestMission): Promise<MissionRun> {
  const ready = readyMission(checkedAgent(agent), mission);
  const { budget } = ready.options;
  const { faults, prices } = ready.given;
  const specs = workerTools(ready.agent);
  const { onChunk, chunks } = keepingChunks(ready.given.onChunk);
  const host: MemoryHost = new MemoryHost({
    model: faultyModel(
      scriptedModel(ready.script, "the script", (ms) => host.sleep(ms)),
      faults,
    ),
    tools: new Map(
      [...ready.effects.tools].map(([name, tool]) => {
        const spec = specs.get(name) ?? tool.spec;
        return [name, (_args, call) => callInMemory(host, ready.effects, { ...tool, spec }, call)];
      }),
    ),
    onChunk,
    agent: ready.agent.name ?? null,
    scope: workflowIdFor("agent", mission.id ?? "test"),
    decisions: ready.reviewDecisions,
    budget,
    prices,
  });
  const { step, entries } = await untilDone(host, ready);
  return {
    step: withTrace(step),
    journal: step.journal,
    missionLog: renderMissionLog(entries),
    progress: renderProgress(ready.agent.plan, new Map(Object.entries(step.summaries))),
    effects: ready.effects.list,
    messages: sentMessages(host.sent),
    reviews: [...host.reviews],
    chunks,
  };
}

/** All invocations, as the workflow makes them: a parked mission goes on when somebody decides, or its wait runs out. */
async function untilDone(
  host: MemoryHost,
  ready: ReadyMission,
): Promise<{ step: Step; entries: ReturnType<Journal["list"]> }> {
  const { agent } = ready;
  const decisions = [...ready.decisions];
  let run: AgentRun = host.open(missionInput(ready));
  for (;;) {
    const step = await stepOf(run);
    const { journal } = run;
    const parked = ready.parks && journal !== null && step.fail === null && isWaiting(agent, step.return);
    if (!parked) return { step, entries: journal?.list() ?? [] };
    const decision = decisions.shift() ?? timedOut(host, agent);
    if (decision === null) return { step, entries: journal.list() };
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

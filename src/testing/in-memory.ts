import type { AgentDefinition } from "../core/agent/definition/definition";
import type { AnyAgent, ReturnOf } from "../core/agent/definition/typed-agent";
import { renderProgress } from "../core/agent/prompt/progress";
import { type Step, withTrace } from "../core/agent/result/step";
import { isWaiting } from "../core/agent/run/outcome";
import { type AgentRun, stepOf } from "../core/agent/run/run";
import { failed, type Result } from "../core/base/failure";
import { workflowIdFor } from "../core/base/ids";
import type { Json, JsonObject } from "../core/base/json";
import { type EffectLookup, GIVEN_UP } from "../core/calls/host";
import { attemptPolicy, delayAfter } from "../core/calls/tool-attempts";
import { undoKey } from "../core/effects/effect-key";
import { type EffectEntry, entryForPeople } from "../core/effects/entry";
import { unpackLedger } from "../core/effects/packed-ledger";
import type { UndoRange, UndoStep } from "../core/effects/undo/undo-plan";
import type { OnUndoFailure } from "../core/effects/undo/undo-steps";
import type { JournalDecision } from "../core/journal/decision-input";
import type { Journal } from "../core/journal/journal";
import { renderMissionLog } from "../core/journal/mission-log";
import { keepingChunks } from "../simulate/chunk-recorder";
import { type MemoryCall, MemoryHost, type MemoryUndo } from "../simulate/memory-host";
import { sentMessages } from "../simulate/simulate-agent";
import { type MemoryUndoEnd, undoMissionInMemory } from "../simulate/undo-mission";
import { completesLater, invokeTool, isToolRetry, lookUpEffect, type Tool, undoEffect } from "../tools/index";
import { checkedAgent } from "../workflows/start/sendable";
import type { Effects } from "./effects";
import { faultyModel } from "./faults";
import {
  type MissionOf,
  type MissionRun,
  missionInput,
  type ReadyMission,
  readyMission,
  type TestMission,
  typedRun,
} from "./mission";
import { type PlayedTool, workerTools } from "./tools";

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
  const { effects } = ready;
  const tools = [...effects.tools].map(([name, tool]) => ({ ...tool, name, spec: specs.get(name) ?? tool.spec }));
  const undos = new Map<string, MemoryUndo>(
    tools.map((tool) => [tool.name, (step) => undoEffectInMemory(host, effects, tool, step)]),
  );
  const scope = workflowIdFor("agent", mission.id ?? "test");
  const host: MemoryHost = new MemoryHost({
    undos,
    model: faultyModel(
      ready.model((ms) => host.sleep(ms)),
      faults,
    ),
    tools: new Map(tools.map((tool) => [tool.name, (_args, call) => callInMemory(host, effects, tool, call)])),
    lookups: new Map(
      [...effects.tools].map(([name, tool]) => [name, (args, call) => lookUpInMemory(effects, tool, args, call)]),
    ),
    onChunk,
    agent: ready.agent.name ?? null,
    scope,
    decisions: ready.reviewDecisions,
    budget,
    prices,
    guards: mission.guards,
  });
  const { step, entries, ledger, shownEffects } = await untilDone(host, ready);
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
    undo: (options) => undoMissionInMemory(scope, shownEffects, undos, { ...options, guards: mission.guards }),
  };
}

/** A mission that ran in memory. */
export interface MemoryMissionRun<Return = Json> extends MissionRun<Return> {
  /** Undoes what the mission did, as `client.undo` does on a server. */
  undo(options?: UndoRange & { on_failure?: OnUndoFailure }): Promise<MemoryUndoEnd>;
}

/**
 * All invocations, as the workflow makes them: a parked mission continues when somebody decides, or its wait runs out.
 */
async function untilDone(
  host: MemoryHost,
  ready: ReadyMission,
): Promise<{ step: Step; entries: ReturnType<Journal["list"]>; ledger: EffectEntry[]; shownEffects: EffectEntry[] }> {
  const { agent } = ready;
  const decisions = [...ready.decisions];
  let run: AgentRun = host.open(missionInput(ready));
  for (;;) {
    const step = await stepOf(run);
    const { journal } = run;
    const parked = ready.parks && journal !== null && step.fail === null && isWaiting(agent, step.return);
    const ledger = run.ledger?.entries() ?? [];
    // In memory many calls are made at the same time: only the ledger itself knows their order.
    const shownEffects = run.ledger === null ? [] : unpackLedger(run.ledger.handedBack()).map(entryForPeople);
    if (!parked) return { step, entries: journal?.list() ?? [], ledger, shownEffects };
    const decision = decisions.shift() ?? timedOut(host, agent);
    if (decision === null) return { step, entries: journal.list(), ledger, shownEffects };
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

/** After this much silence a worker counts as lost, ms. */
const NOTICED_MS = 2_500;

/** The result of one attempt: an answer, nothing (its worker was lost), or a tool that asks for a retry. */
type Attempt =
  | { answer: Result<Json> }
  | { lost_ms: number }
  | { again: Error & { after_ms?: number } }
  /** The service can be asked again with the same key. */
  | { unsure: Result<Json> };

/** The effect of a worker and Temporal on one call, including attempts. Time advances on this host only. */
async function callInMemory(
  host: MemoryHost,
  effects: Effects,
  tool: PlayedTool,
  call: MemoryCall,
): Promise<Result<Json>> {
  const { name, deadline_ms } = call;
  const attempts = attemptPolicy(tool.spec);
  for (let attempt = 1; ; attempt++) {
    const made = await attemptCall(host, effects, tool, call, attempt);
    if ("answer" in made) return made.answer;
    const last = attempt >= attempts.max_attempts;
    if ("lost_ms" in made) {
      if (await host.late(made.lost_ms, deadline_ms)) return GIVEN_UP;
      if (last) return failed("tool_error", UNKNOWN, { tool: name, code: "unknown_outcome" });
    } else if ("unsure" in made) {
      if (last) return made.unsure;
    } else if (last)
      return failed("tool_error", made.again.message, { tool: name, code: "tool_error", retryable: true });
    const asked = "again" in made ? made.again.after_ms : undefined;
    if (await host.late(asked ?? delayAfter(attempts, attempt), deadline_ms)) return GIVEN_UP;
  }
}

const UNKNOWN =
  "the outcome is unknown: its worker was lost or it took longer than allowed. The effect may have happened.";

async function attemptCall(
  host: MemoryHost,
  effects: Effects,
  { spec, delay_ms }: PlayedTool,
  { name, args, key, task, agent, turn, deadline_ms }: MemoryCall,
  attempt: number,
): Promise<Attempt> {
  if (effects.loses("before", name, key)) return { lost_ms: NOTICED_MS };
  if (spec.timeout_ms !== undefined && delay_ms > spec.timeout_ms) return { lost_ms: spec.timeout_ms };
  if (await host.late(delay_ms, deadline_ms)) return { answer: GIVEN_UP };
  const call = { idempotencyKey: key, task: task ?? null, agent, turn, attempt, ...NOBODY_WAITS };
  try {
    const run = () => effects.run(name, args, call);
    const answer = await invokeTool({ spec, run }, args, call, completesLater);
    if (effects.loses("after", name, key)) return { lost_ms: NOTICED_MS };
    const isUnknown = !answer.ok && answer.fail.details?.code === "unknown_outcome";
    return isUnknown && spec.effect === "idempotent" ? { unsure: answer } : { answer };
  } catch (error) {
    if (isToolRetry(error)) return { again: error };
    if (!completesLater(error)) throw error;
    throw new Error(`Tool ${name} is completed from outside: give a stub for it in \`replace\`.`);
  }
}

/** The lookup of an effect whose outcome is lost. A lookup that asks for another attempt returns no outcome. */
async function lookUpInMemory(
  effects: Effects,
  { spec }: PlayedTool,
  args: JsonObject,
  { name, key, task, agent, turn }: MemoryCall,
): Promise<EffectLookup> {
  if (!spec.lookup) return { state: "unknown" };
  const call = { idempotencyKey: key, task: task ?? null, agent, turn, attempt: 1, ...NOBODY_WAITS };
  const lookup: Tool["lookup"] = (...asked) => effects.lookUp(name, ...asked);
  try {
    return await lookUpEffect({ spec, run: async () => null, lookup }, args, call);
  } catch (error) {
    if (!isToolRetry(error)) throw error;
    return { state: "unknown", message: error.message };
  }
}

/** The undo of one effect: tried again like a write, with the same key. */
async function undoEffectInMemory(
  host: MemoryHost,
  effects: Effects,
  { spec }: PlayedTool,
  { key, args, result, task, turn }: UndoStep,
): Promise<Result<Json>> {
  const attempts = attemptPolicy({ effect: "write" });
  for (let attempt = 1; ; attempt++) {
    const context = { idempotencyKey: undoKey(key), callKey: key, task: task ?? null, agent: null, turn, attempt };
    const undo: Tool["undo"] = (...asked) => effects.undo(spec.name, ...asked);
    try {
      const tool = { spec, run: async () => null, ...(spec.undo && { undo }) };
      return await undoEffect(tool, args, result, { ...context, ...NOBODY_WAITS });
    } catch (error) {
      if (!isToolRetry(error)) throw error;
      if (attempt >= attempts.max_attempts)
        return failed("tool_error", error.message, { tool: spec.name, code: "tool_error", retryable: true });
      await host.sleep(error.after_ms ?? delayAfter(attempts, attempt));
    }
  }
}

const NOBODY_WAITS = { signal: new AbortController().signal, heartbeat: () => {}, token: "in-memory" };

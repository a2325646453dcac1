import { readAgentScenario } from "../../src/cli/input/scenario-file";
import type { Step } from "../../src/core/agent/result/step";
import { MISSION_LOG_HEADING } from "../../src/core/journal/mission-log";
import { unmet } from "../../src/simulate/expectation";
import { type AgentSimulation, simulateAgent } from "../../src/simulate/simulate-agent";
import { useScenarioStage } from "../support/scenario-stage";
import { stepEssence } from "../support/step-essence";

/**
 * One behaviour, two hosts: every scenario of test/scenarios holds what it says it does, and the in-memory host and
 * Temporal answer the same, ids and times aside.
 */
const RECORDED = [
  "approval-edit",
  "approval-rejected",
  "approval-text-mode",
  "ask-person",
  "budget-stopped",
  "budget-top-up",
  "budget-tree",
  "budget-without-price",
  "chain",
  "compiled",
  "compression",
  "end-max-turns",
  "end-mission-timeout",
  "end-token-limit",
  "end-turn-budget",
  "fallback",
  "grep",
  "journal-given",
  "llm-error",
  "llm-fallback",
  "llm-query",
  "llm-retry-deadline",
  "llm-retry-exhausted",
  "llm-retry-exponential",
  "llm-tool",
  "llm-tool-fails",
  "llm-tool-validator",
  "mission-timeout-tool",
  "model-fallback",
  "nested-agent",
  "nested-deadline",
  "nested-parallel",
  "nested-self",
  "nested-text",
  "one-turn-with-retries",
  "plan-progress",
  "single-shot-fail",
  "text-chunks",
  "text-chunks-tools",
  "text-json-feedback",
  "text-mission-timeout",
  "text-nested-fails",
  "text-plain",
  "text-tools",
  "text-tools-failures",
  "thinking",
  "tool-arguments-checked",
  "tool-fails",
  "waiting",
];
const { files, pathOf, onTemporal } = useScenarioStage("scenarios", "agent", RECORDED, (stage, file, id) =>
  stage.run(readAgentScenario(file), id),
);

test("every recorded scenario exists", () =>
  expect(RECORDED.filter((name) => !files.includes(`${name}.yaml`))).toEqual([]));

test.each(files)("%s", async (file) => {
  const scenario = readAgentScenario(pathOf(file));
  const inMemory = await simulateAgent(scenario);
  expect(scenario).toMatchObject({ about: expect.anything(), expect: expect.anything() });
  expect(unmet(scenario.expect, inMemory)).toEqual([]);
  expectInvariants(inMemory);
  const { fail } = inMemory.step;
  // A client refuses what a run would refuse: there is no run.
  if (fail?.details?.input === true)
    await expect(onTemporal(file)).rejects.toMatchObject({ code: fail.reason, message: fail.message });
  else expect(essence(await onTemporal(file))).toEqual(essence(inMemory));
});

/** The invariants of every run (agent reference, section 19). */
function expectInvariants({ step, messages }: AgentSimulation): void {
  for (const one of family(step)) {
    expect(one.return === null || one.fail === null).toBe(true);
    expect(JSON.parse(JSON.stringify(one))).toEqual(one);
    if (one.turns !== null && endsInATurn(one)) expect(one.usage?.turns ?? 0).toBe(one.turns.length);
  }
  const systems = messages.filter(({ role, agent }) => role === "system" && agent === undefined);
  const constant = systems.map(({ content }) => content.split(MISSION_LOG_HEADING)[0]?.trimEnd());
  expect(new Set(constant).size).toBeLessThan(2);
}

const family = (step: Step): Step[] => [step, ...step.child_steps.flatMap(family)];

/** A turn that no model answered, or whose answer came too dear, has no record. */
function endsInATurn({ fail, usage }: Step): boolean {
  const noRecord = ["llm_error", "llm_not_found", "mission_timeout", "budget_callback_exceeded", "price_unknown"];
  return usage?.fallback_used !== true && !noRecord.includes(fail?.reason ?? "");
}

/**
 * Without what must differ: ids, times, durations. Ids keep whether they are there. Agents that run side by side ask their
 * models in any order.
 */
function essence({ messages, calls, ...rest }: AgentSimulation): unknown {
  const whole = { ...rest, messages: ownFirst(messages), calls: ownFirst(calls) };
  return stepEssence(whole);
}

/** What the root said and asked, in order; then what its children did. */
function ownFirst<T extends { agent?: string }>(notes: readonly T[]): T[] {
  const children = notes.filter(({ agent }) => agent !== undefined);
  const texts = new Map(children.map((note) => [note, JSON.stringify(note)]));
  children.sort((a, b) => ((texts.get(a) as string) < (texts.get(b) as string) ? -1 : 1));
  return [...notes.filter(({ agent }) => agent === undefined), ...children];
}

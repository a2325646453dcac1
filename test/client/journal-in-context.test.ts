import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { okStep } from "../../src/core/agent/result/make-step";
import type { JsonObject } from "../../src/core/base/json";
import { parseAgentScenario, scenarioInput, simulateAgent } from "../../src/simulate/simulate-agent";
import { program, runInMemory, stub } from "../../src/testing";
import { agentRunInput } from "../../src/workflows/start/agent-input";

/** A saved journal in the context runs a mission again, where the application gives it (agent reference, section 10.1). */
const agent = (more: object = {}) => {
  const parsed = parseAgent({ prompt: "Charge.", name: "order", ...more });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
};
const saved = { charge_42: "tx_1" };
const CHARGE = '(return (task "charge_42" (tool/charge {})))';

describe("the client", () => {
  const journalOf = (options: JsonObject & { context: JsonObject }, more: object = {}) =>
    agentRunInput({ ...options, agent: agent(more) }).journal;

  test("leaves the journal to the context when no other was given", () =>
    expect(journalOf({ context: { journal: saved, order: 42 } })).toBeNull());

  test.each([
    ["its own journal wins", journalOf({ context: { journal: saved }, journal: { other: 1 } }), { other: 1 }],
    ["an empty one of its own wins, too", journalOf({ context: { journal: saved }, journal: {} }), {}],
    ["without one a run has an empty journal", journalOf({ context: { order: 42 } }), {}],
    ["a text named journal is data", journalOf({ context: { journal: "of the captain" } }), {}],
    [
      "a journal that the signature declares is data",
      journalOf({ context: { journal: saved } }, { signature: "(journal :map) -> :any" }),
      {},
    ],
  ])("%s", (_, given, expected) => expect(given).toEqual(expected));

  test("takes it from the Step of an earlier run that is the context", () =>
    expect(agentRunInput({ agent: agent(), context: okStep({ journal: saved }) })).toMatchObject({
      journal: null,
      context: { journal: saved },
    }));
});

test("the test kit repeats no recorded task, and warns where the journal would be better", async () => {
  const { step, effects } = await runInMemory(agent({ tools: ["charge"] }), {
    script: [program(CHARGE)],
    tools: { charge: stub.always("tx_2") },
    context: { journal: saved },
  });
  expect(effects).toEqual([]);
  expect(step).toMatchObject({ return: "tx_1", journal: saved, warnings: [{ code: "journal_in_context" }] });
  expect(step.warnings[0]?.message).toContain("`journal` is the better place");
});

test("a simulation does the same", async () => {
  const scenario = parseAgentScenario({
    agent: { prompt: "Charge." },
    context: { journal: saved },
    tools: { charge: { kind: "const", value: "tx_2" } },
    model: [program(CHARGE)],
  });
  if (!scenario.ok) throw new Error(scenario.fail.message);
  expect(scenarioInput(scenario.value).journal).toBeNull();
  expect((await simulateAgent(scenario.value)).step).toMatchObject({ return: "tx_1", tool_calls: [], journal: saved });
});

test("an agent that runs as a tool does not: what a model gives is data", async () => {
  const child = agent({ name: "child", description: "Charges.", tools: ["charge"] });
  const { step, effects } = await runInMemory(agent({ tools: [{ name: "child", agent: child }] }), {
    script: { order: [program('(return (tool/child {:journal {:charge_42 "tx_1"}}))')], child: [program(CHARGE)] },
    tools: { charge: stub.always("tx_2") },
  });
  expect([step.return, effects.length]).toEqual(["tx_2", 1]);
  expect(step.child_steps[0]?.warnings).toEqual([]);
});

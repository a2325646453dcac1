import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { unmet } from "../../src/simulate/expectation";
import { type AgentScenario, parseAgentScenario } from "../../src/simulate/simulate-agent";
import { parsePlanScenario } from "../../src/simulate/simulate-plan";
import { TemporalStage } from "../../src/testing/on-temporal";
import { runPlanOn } from "../../src/testing/plan-on-temporal";
import { type RuleCase, rulesOf } from "../originals/cases";
import { LISP_ROWS, programOfRows } from "../originals/lisp-rows";
import { testAddress } from "../support/environment";
import { quietRuntime } from "../support/rig";

/**
 * The rules of test/originals on a real server: the same cases as in memory, many at a time on one worker (agent and plan
 * references; test/originals/*.yaml).
 */
let connection: Connection;
let native: NativeConnection;
let stage: TemporalStage;

beforeAll(async () => {
  quietRuntime();
  const address = testAddress();
  [connection, native] = await Promise.all([Connection.connect({ address }), NativeConnection.connect({ address })]);
  await ensureSearchAttributes(connection, "default");
  stage = await TemporalStage.open({
    temporal: new Client({ connection }),
    native,
    namespace: "default",
    overrides: { workflowBundle: { codePath: process.env.NAVIGATOR_TEST_BUNDLE as string } },
  });
});
afterAll(async () => {
  await stage.close();
  await native.close();
  await connection.close();
});

const AT_ONCE = 6;

/** Runs the cases a few at a time. Gives what each lacks, by its title. */
async function lacksOf(cases: readonly RuleCase[], run: (one: RuleCase) => Promise<unknown>) {
  const lacks: { [title: string]: unknown } = {};
  const left = [...cases];
  const work = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const found = unmet(one.scenario.expect, await run(one));
      if (found.length > 0) lacks[one.title] = found;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return lacks;
}

const agentScenario = (scenario: unknown): AgentScenario => {
  const read = parseAgentScenario(scenario);
  if (!read.ok) throw new Error(read.fail.message);
  return read.value;
};

test("every rule of the agent reference that a run shows holds on a server", async () => {
  const cases = rulesOf("agent");
  expect(cases.length).toBeGreaterThan(100);
  expect(await lacksOf(cases, ({ scenario }) => stage.run(agentScenario(scenario), randomUUID()))).toEqual({});
});

test("every rule of the plan reference that a plan shows holds on a server", async () => {
  const cases = rulesOf("plan");
  expect(cases.length).toBeGreaterThan(30);
  const run = async ({ scenario }: RuleCase) => {
    const read = parsePlanScenario(scenario);
    if (!read.ok) throw new Error(read.fail.message);
    const answer = await runPlanOn(stage, read.value, randomUUID());
    return answer.ok ? answer.value : answer;
  };
  expect(await lacksOf(cases, run)).toEqual({});
});

test("every value of the language is the same on a server", async () => {
  const rows = LISP_ROWS.filter(({ plain }) => plain);
  const { step } = await stage.run(
    agentScenario({ agent: { prompt: "Evaluate." }, model: [programOfRows(rows)] }),
    randomUUID(),
  );
  expect(step.return).toEqual(rows.map(({ gives }) => gives));
});

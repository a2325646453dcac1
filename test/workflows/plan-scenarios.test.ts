import { readdirSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { readPlanScenario } from "../../src/cli/scenario-file";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { unmet } from "../../src/simulate/expectation";
import { type PlanSimulation, simulatePlan } from "../../src/simulate/simulate-plan";
import { TemporalStage } from "../../src/testing/on-temporal";
import { runPlanOn } from "../../src/testing/plan-on-temporal";
import { testAddress } from "../support/environment";
import { quietRuntime } from "../support/rig";
import { stepEssence } from "../support/step-essence";

/**
 * One behaviour, two hosts, for plans: every scenario of test/scenarios-plan holds what it says it does, and memory and
 * Temporal answer the same, ids and times aside.
 */
const FOLDER = path.join(__dirname, "../scenarios-plan");
const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml"));

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
  await Promise.allSettled(started.values());
  await stage.close();
  await native.close();
  await connection.close();
});

test.each(files)("%s", async (file) => {
  const scenario = readPlanScenario(path.join(FOLDER, file));
  const inMemory = await simulatePlan(scenario);
  expect(scenario.expect).toBeDefined();
  expect(unmet(scenario.expect, inMemory.ok ? inMemory.value : inMemory)).toEqual([]);
  expect(essence(await onTemporal(file))).toEqual(essence(inMemory));
});

/** Most of what a scenario takes is waiting: the next ones are begun meanwhile. */
const AHEAD = 3;
type Answer = Awaited<ReturnType<typeof simulatePlan>>;
const started = new Map<string, Promise<Answer>>();

async function onTemporal(file: string): Promise<Answer> {
  const at = files.indexOf(file);
  for (const next of files.slice(at, at + 1 + AHEAD))
    if (!started.has(next)) {
      started.set(next, runPlanOn(stage, readPlanScenario(path.join(FOLDER, next))));
      // Its own test tells.
      started.get(next)?.catch(() => undefined);
    }
  return started.get(file) as Promise<Answer>;
}

/** Without what must differ: ids, times, durations. Agents that a run has as tools ask their models in any order. */
function essence(answer: Answer): unknown {
  if (!answer.ok) return answer;
  return stepEssence({ ...answer.value, messages: ownFirst(answer.value.messages) });
}

/** Run by run what its own agent was sent, in order; then what those below it were. */
function ownFirst(messages: PlanSimulation["messages"]): PlanSimulation["messages"] {
  const keyed = messages.map((message, i) => ({
    message,
    key: [message.run, message.agent === undefined ? String(i).padStart(6, "0") : `~${JSON.stringify(message)}`],
  }));
  return keyed.sort((a, b) => (a.key.join("\n") < b.key.join("\n") ? -1 : 1)).map(({ message }) => message);
}

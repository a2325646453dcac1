import { readdirSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { readAgentScenario } from "../../src/cli/scenario-file";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { unmet } from "../../src/simulate/expectation";
import { type AgentSimulation, simulateAgent } from "../../src/simulate/simulate-agent";
import { TemporalStage } from "../../src/testing/on-temporal";
import { testAddress } from "../support/environment";
import { quietRuntime } from "../support/rig";
import { stepEssence } from "../support/step-essence";

/**
 * One behaviour, two hosts: every scenario of test/scenarios holds what it says it does, and the in-memory host and
 * Temporal answer the same, ids and times aside.
 */
const FOLDER = path.join(__dirname, "../scenarios");
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
  const scenario = readAgentScenario(path.join(FOLDER, file));
  const inMemory = await simulateAgent(scenario);
  expect(scenario.expect).toBeDefined();
  expect(unmet(scenario.expect, inMemory)).toEqual([]);
  expect(essence(await onTemporal(file))).toEqual(essence(inMemory));
});

/** Most of what a scenario takes is waiting: the next ones are begun meanwhile. */
const AHEAD = 3;
const started = new Map<string, Promise<AgentSimulation>>();

async function onTemporal(file: string): Promise<AgentSimulation> {
  const at = files.indexOf(file);
  for (const next of files.slice(at, at + 1 + AHEAD))
    if (!started.has(next)) {
      started.set(next, stage.run(readAgentScenario(path.join(FOLDER, next))));
      // Its own test tells.
      started.get(next)?.catch(() => undefined);
    }
  return started.get(file) as Promise<AgentSimulation>;
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

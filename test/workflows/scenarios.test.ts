import { readdirSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { readAgentScenario } from "../../src/cli/scenario-file";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { unmet } from "../../src/simulate/expectation";
import { simulateAgent } from "../../src/simulate/simulate-agent";
import { simulateOnTemporal } from "../../src/testing/on-temporal";
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

beforeAll(async () => {
  quietRuntime();
  const address = testAddress();
  [connection, native] = await Promise.all([Connection.connect({ address }), NativeConnection.connect({ address })]);
  await ensureSearchAttributes(connection, "default");
});
afterAll(async () => {
  await native.close();
  await connection.close();
});

test.each(files)("%s", async (file) => {
  const scenario = readAgentScenario(path.join(FOLDER, file));
  const inMemory = await simulateAgent(scenario);
  expect(scenario.expect).toBeDefined();
  expect(unmet(scenario.expect, inMemory)).toEqual([]);
  const onTemporal = await simulateOnTemporal(readAgentScenario(path.join(FOLDER, file)), {
    temporal: new Client({ connection }),
    native,
    namespace: "default",
    overrides: { workflowBundle: { codePath: process.env.NAVIGATOR_TEST_BUNDLE as string } },
  });
  expect(stepEssence(onTemporal)).toEqual(stepEssence(inMemory));
});

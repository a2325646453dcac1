import { readdirSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { readAgentScenario } from "../../src/cli/scenario-file";
import { isObject } from "../../src/core/is-object";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { unmet } from "../../src/simulate/expectation";
import { type AgentSimulation, simulateAgent } from "../../src/simulate/simulate-agent";
import { simulateOnTemporal } from "../../src/testing/on-temporal";
import { testAddress } from "../support/environment";
import { quietRuntime } from "../support/rig";

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
  expect(essence(onTemporal)).toEqual(essence(inMemory));
});

/** Without what must differ: ids, times, durations. Ids keep whether they are there. */
function essence(simulation: AgentSimulation): unknown {
  return JSON.parse(JSON.stringify(simulation), (key, value: unknown) => {
    if (key === "timestamp" || key === "duration_ms" || key === "at") return typeof value;
    if ((key === "trace_id" || key === "parent_trace_id" || key === "child_trace_id") && typeof value === "string")
      return value.length;
    if ((key === "child_traces" || key === "child_trace_ids") && Array.isArray(value)) return value.length;
    if (isObject(value) && "workflow_id" in value) return { ...value, workflow_id: "" };
    return value;
  });
}

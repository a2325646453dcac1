import { replayAndKeep } from "../support/record";
import type { ExportedHistory } from "../support/recorded";
import { expectProjectionsToEqual } from "../support/replay";
import { openRig, type Rig } from "../support/rig";
import { SCENARIOS, type Scenario, scenarioTools } from "../support/scenarios";
import { orderScenarios } from "./task/order-scenarios";

/**
 * Every scenario is run, replayed, and its history projected at every event. With NAVIGATOR_RECORD=1 the histories
 * are kept in test/histories: from then on every later version of the code has to replay them.
 */
let rig: Rig;
afterEach(() => rig.stop());

async function historiesOf(scenario: Scenario, tools: Tools) {
  rig = await openRig({ script: scenario.script, ...(tools ? { tools } : {}) });
  const ids = await scenario.run(rig);
  return Promise.all(ids.map(async (id) => (await rig.client.history(id)) as unknown as ExportedHistory));
}

type Tools = Parameters<typeof openRig>[0]["tools"];

async function check(scenario: Scenario, tools?: Tools, recordedAs = scenario.name): Promise<void> {
  const histories = await historiesOf(scenario, tools);
  expect(histories.length).toBeGreaterThan(0);
  for (const history of histories) {
    const isAgent = JSON.stringify(history.events[0]).includes('"agentRun"');
    if (isAgent) expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
  }
  await replayAndKeep(recordedAs, histories);
}

/** Kept under a name of its own: the histories that earlier formats of runs wrote of the same scenarios are kept, too. */
const riding = (name: string) => (name.startsWith("riding-") ? name : `riding-${name}`);

test.each(SCENARIOS)("$name: the history alone gives the workflow's own answers", (scenario) =>
  check(scenario, scenarioTools, riding(scenario.name)),
);

describe("tasks on the order graph", () => {
  test.each(orderScenarios())("$name", ({ tools, ...scenario }) => check(scenario, tools));
});

import { randomUUID } from "node:crypto";
import { projectJournal } from "../../src/core/history/read/project";
import { replayAndKeep } from "../support/record";
import { type ExportedHistory, workflowTypeOf } from "../support/recorded";
import { expectProjectionsToEqual } from "../support/replay/replay";
import { agent, fenced, type Rig, sharedRigs } from "../support/rig";
import { SCENARIOS, type Scenario, scenarioTools } from "../support/scenarios";
import { orderScenarios } from "./task/order-scenarios";

const openRig = sharedRigs();

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
    const compared = await expectProjectionsToEqual(history);
    if (workflowTypeOf(history) === "agentRun") expect(compared).toBeGreaterThan(6);
  }
  await replayAndKeep(recordedAs, histories);
}

test.each(SCENARIOS)("$name: the history alone gives the workflow's own answers", (scenario) =>
  check(scenario, scenarioTools),
);

describe("what a record costs", () => {
  /** A chain of so many calls, each a task, in one program. */
  const chain = (calls: number, more: object = {}): Scenario => ({
    name: `chain-${calls}`,
    script: [
      fenced(
        `(do (doseq [i (range ${100 - calls}, 100)] (task (str "call_" (+ 100 i)) (tool/charge_card {:order_id i}))) (return 1))`,
      ),
    ],
    run: async ({ client }) => {
      const specs = scenarioTools.map(({ spec }) => spec);
      const run = await client.startAgent({
        id: randomUUID(),
        agent: agent({ tools: specs, ...more }),
        model: "scripted",
      });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  });

  test("a chain of recorded calls has no more events than activities alone, and each record has the same size", async () => {
    const [twenty] = await historiesOf(chain(20, { sequences: false }), scenarioTools);
    await rig.stop();
    const [sixty] = await historiesOf(chain(60, { sequences: false }), scenarioTools);
    for (const [history, calls] of [[twenty, 20] as const, [sixty, 60] as const]) {
      const { events } = history as ExportedHistory;
      // Three events for each activity, one of which is the model's, two for the run, two for the signed end of its chain, and one for
      // what it used; and a workflow task for each activity and the start. One that no worker fetched in time is scheduled again.
      const ofTasks = events.filter(({ eventType }) => String(eventType).includes("_WORKFLOW_TASK_"));
      expect(events.length - ofTasks.length).toBe(3 * (calls + 1) + 2 + 2 + 1);
      const completed = ofTasks.filter(({ eventType }) => String(eventType).endsWith("_COMPLETED"));
      expect(completed).toHaveLength(calls + 2);
      expect(projectJournal({ events }).rows).toHaveLength(calls);
      const sizes = events.flatMap((event) => {
        const scheduled = event.activityTaskScheduledEventAttributes as { input: { payloads: unknown[] } } | undefined;
        const changes = scheduled?.input.payloads[1];
        return changes === undefined ? [] : [JSON.stringify(changes).length];
      });
      // The first has the link of its effect alone, and each other one a record as well.
      expect(sizes).toHaveLength(calls);
      expect(new Set(sizes.slice(1)).size).toBe(1);
    }
  });

  test("a chain that is made in stretches has less than half the events", async () => {
    const [history] = await historiesOf(chain(20), scenarioTools);
    const { events } = history as ExportedHistory;
    expect(events.length).toBeLessThan((6 * 20) / 2);
    expect(projectJournal({ events }).rows).toHaveLength(20);
  });
});

describe("tasks on the order graph", () => {
  test.each(orderScenarios())("$name", ({ tools, ...scenario }) => check(scenario, tools));
});

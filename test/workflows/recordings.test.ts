import { TestWorkflowEnvironment } from "@temporalio/testing";
import { testCli } from "../support/environment";
import { newNamespace } from "../support/namespace";
import { replayAndKeep, runsOf } from "../support/record";
import type { ExportedHistory } from "../support/recorded";
import type { Recording } from "../support/recording";
import { expectProjectionsToEqual } from "../support/replay/replay";
import { openRig, quietRuntime, type Rig } from "../support/rig";
import { AGENT_RECORDINGS } from "./recordings/agents";
import { BATCH_RECORDINGS, LONG_BATCH_RECORDINGS } from "./recordings/batches";
import { EDGE_UNDO_RECORDINGS, LONG_EDGE_UNDO_RECORDINGS } from "./recordings/edge-undos";
import { EFFECT_RECORDINGS, LONG_EFFECT_RECORDINGS } from "./recordings/effects";
import { FAILED_PLANS_AND_TASKS, FAILED_RECORDINGS, WRONG_START_RECORDINGS } from "./recordings/failures";
import { INBOX_RECORDINGS, LONG_INBOX_RECORDINGS } from "./recordings/inbox";
import { LEDGER_RECORDINGS } from "./recordings/ledgers";
import { LONG_AGENT_RECORDINGS } from "./recordings/long-runs";
import { LOSS_RECORDINGS } from "./recordings/losses";
import { LONG_NOTIFICATION_RECORDINGS, NOTIFICATION_RECORDINGS } from "./recordings/notifications";
import { LONG_OTHER_RECORDINGS, OTHER_RECORDINGS } from "./recordings/others";
import { LONG_PAUSE_RECORDINGS, PAUSE_RECORDINGS } from "./recordings/pauses";
import { LONG_PLAN_RECORDINGS, PLAN_RECORDINGS } from "./recordings/plans";
import { POLICY_RECORDINGS } from "./recordings/policies";
import { LONG_RETRY_RECORDINGS, RETRY_RECORDINGS } from "./recordings/retries";
import { LONG_SHARED_EFFECT_RECORDINGS, SHARED_EFFECT_RECORDINGS } from "./recordings/shared-effects";
import { LONG_STRETCH_RECORDINGS, STRETCH_RECORDINGS } from "./recordings/stretches";
import { LONG_TASK_RECORDINGS, TASK_RECORDINGS } from "./recordings/tasks";
import { LONG_TURN_RECORDINGS, TURN_RECORDINGS } from "./recordings/turns";
import { LONG_UNDO_RECORDINGS, UNDO_RECORDINGS } from "./recordings/undos";
import { VERIFIED_RECORDINGS } from "./recordings/verified";

/**
 * What can happen to running workflows, each case run and replayed. With NAVIGATOR_RECORD=1 the histories are kept in
 * test/histories: from then on every later version of the code has to replay them.
 */
const isAgent = ({ events }: ExportedHistory) => JSON.stringify(events[0]).includes('"agentRun"');

async function record(
  { name, rig: options, run }: Recording,
  place: { address?: string; namespace?: string },
): Promise<ExportedHistory[]> {
  // One queue for all: what an earlier case left running is served by the worker of the next.
  const given = typeof options === "function" ? await options() : options;
  const rig: Rig = await openRig({ ...given, ...place, taskQueue: "recordings" });
  try {
    const histories = await runsOf(rig.client.temporal, await run(rig));
    for (const history of histories.filter(isAgent)) await expectProjectionsToEqual(history);
    await replayAndKeep(name, histories);
    return histories;
  } finally {
    await rig.stop();
  }
}

describe("on a usual server", () => {
  let namespace: string;
  beforeAll(async () => {
    namespace = await newNamespace();
  });

  test.each([
    ...AGENT_RECORDINGS,
    ...PLAN_RECORDINGS,
    ...TASK_RECORDINGS,
    ...OTHER_RECORDINGS,
    ...NOTIFICATION_RECORDINGS,
    ...POLICY_RECORDINGS,
    ...VERIFIED_RECORDINGS,
    ...LEDGER_RECORDINGS,
    ...UNDO_RECORDINGS,
    ...EDGE_UNDO_RECORDINGS,
    ...EFFECT_RECORDINGS,
    ...RETRY_RECORDINGS,
    ...SHARED_EFFECT_RECORDINGS,
    ...INBOX_RECORDINGS,
    ...FAILED_RECORDINGS,
    ...FAILED_PLANS_AND_TASKS,
    ...WRONG_START_RECORDINGS,
    ...PAUSE_RECORDINGS,
    ...STRETCH_RECORDINGS,
    ...TURN_RECORDINGS,
    ...LOSS_RECORDINGS,
    ...BATCH_RECORDINGS,
  ])("$name replays", async (recording) => void (await record(recording, { namespace })), 90_000);
});

describe("on a server that wants a new run every 40 events", () => {
  let server: TestWorkflowEnvironment;
  beforeAll(async () => {
    quietRuntime();
    const extraArgs = ["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=40"];
    const executable = { type: "existing-path" as const, path: await testCli() };
    server = await TestWorkflowEnvironment.createLocal({ server: { executable, extraArgs } });
  });
  afterAll(() => server.teardown());

  test.each([
    ...LONG_AGENT_RECORDINGS,
    ...LONG_INBOX_RECORDINGS,
    ...LONG_PLAN_RECORDINGS,
    ...LONG_TASK_RECORDINGS,
    ...LONG_OTHER_RECORDINGS,
    ...LONG_NOTIFICATION_RECORDINGS,
    ...LONG_UNDO_RECORDINGS,
    ...LONG_EDGE_UNDO_RECORDINGS,
    ...LONG_EFFECT_RECORDINGS,
    ...LONG_RETRY_RECORDINGS,
    ...LONG_SHARED_EFFECT_RECORDINGS,
    ...LONG_PAUSE_RECORDINGS,
    ...LONG_STRETCH_RECORDINGS,
    ...LONG_TURN_RECORDINGS,
    ...LONG_BATCH_RECORDINGS,
  ])("$name continues in another run and replays", async (recording) => {
    const histories = await record(recording, { address: server.address });
    const continued = histories.filter(({ events }) => events.at(-1)?.eventType.endsWith("CONTINUED_AS_NEW"));
    expect(continued.length).toBeGreaterThan(0);
  });
});

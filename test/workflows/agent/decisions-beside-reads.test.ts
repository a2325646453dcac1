import { setTimeout as wait } from "node:timers/promises";
import { defineTool } from "../../../src/tools";
import { replayAndKeep } from "../../support/record";
import type { ExportedHistory } from "../../support/recorded";
import { expectProjectionsToEqual } from "../../support/replay/replay";
import { agent, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/**
 * What people record is verified by a local activity. Temporal resolves local activities in another order on a replay, so
 * none may run beside one of the program.
 */
let rig: Rig;
const charged: string[] = [];
/** What the long read waits for, and its beginning. */
let [release, began] = [() => {}, () => {}];
const released = new Promise<void>((resolve) => {
  release = resolve;
});
const begun = new Promise<void>((resolve) => {
  began = resolve;
});
const read = (name: string, ms: number) =>
  defineTool({
    name,
    signature: "() -> :string",
    effect: "read",
    run: async () => {
      if (ms > 0) await wait(ms);
      return name;
    },
  });
const tools = [
  read("quick", 0),
  read("slow", 300),
  defineTool({
    name: "long",
    signature: "() -> :string",
    effect: "read",
    run: async () => {
      began();
      await released;
      return "long";
    },
  }),
  defineTool({
    name: "charge",
    signature: "(memo :string) -> :string",
    run: (_args, { idempotencyKey }) => {
      charged.push(idempotencyKey);
      return "charged";
    },
  }),
];

beforeAll(async () => {
  rig = await openRig({ tools });
});
afterAll(() => rig.stop());

const start = (read: string) =>
  rig.client.startAgent({
    agent: agent({ name: "reader", tools: tools.map(({ spec }) => spec), max_turns: 1 }),
    model: "scripted",
    program: `(do (tool/${read} {}) (tool/charge {:memo "a"}) (return (tool/${read} {})))`,
  });

/** What a new worker finds, and what must replay for ever. */
async function expectReplays(run: Awaited<ReturnType<typeof start>>, recording: string): Promise<void> {
  await rig.stopWorker();
  await rig.startWorker();
  expect((await run.step()).journal).toMatchObject({ paid: 7, shipped: 7 });
  const [history] = (await rig.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory];
  await replayAndKeep(recording, [history]);
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(0);
}

const record = async (run: Awaited<ReturnType<typeof start>>) => {
  for (const id of ["paid", "shipped"]) await run.signalDecision({ id, value: 7, by: "anna" });
};

test.each(["quick", "slow"])("a record that comes as a %s read begins: a new worker replays the run", async (name) => {
  await rig.stopWorker();
  charged.length = 0;
  const run = await start(name);
  // Nobody works: the run gets both with its first workflow task, in which the program asks for its first read.
  await record(run);
  await rig.startWorker();
  expect((await run.result()).return).toBe(name);
  expect(charged).toHaveLength(1);
  await expectReplays(run, `agent-record-beside-a-${name}-read`);
});

test("so it does when the record comes during a read that is longer than a workflow task", async () => {
  const run = await start("long");
  await begun;
  await record(run);
  const types = async () => {
    const [history] = (await rig.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory];
    return history.events.map(({ eventType }) => String(eventType));
  };
  // The server keeps the signals back until it hears of the workflow task, after 4 s.
  await until(async () => {
    const all = await types();
    const told = all.lastIndexOf("EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED");
    return told >= 0 && all.indexOf("EVENT_TYPE_WORKFLOW_TASK_STARTED", told) > told;
  }, "the run hears of the record");
  await wait(300);
  release();
  expect((await run.result()).return).toBe("long");
  await expectReplays(run, "agent-record-during-a-long-read");
});

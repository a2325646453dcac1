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
interface Gate {
  isOpen: Promise<void>;
  open(): void;
}
function gate(): Gate {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}
let [released, begun] = [gate(), gate()];
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
      begun.open();
      await released.isOpen;
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
  const run = await duringLongRead();
  released.open();
  expect((await run.result()).return).toBe("long");
  await expectReplays(run, "agent-record-during-a-long-read");
});

test("a run that is cancelled while a record waits for its read ends, and a new worker replays it", async () => {
  // The run hears of both at once.
  const run = await duringLongRead((heard) => heard.workflow.cancel());
  released.open();
  await expect(run.result()).rejects.toMatchObject({ code: "agent_lost" });
  expect((await run.workflow.describe()).status.name).toBe("CANCELLED");
  const [history] = (await rig.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory];
  await replayAndKeep("agent-cancelled-while-a-record-waits", [history]);
});

/** A run whose read is longer than a workflow task, and which has heard of a record meanwhile. */
async function duringLongRead(
  also: (run: Awaited<ReturnType<typeof start>>) => Promise<unknown> = async () => {},
): ReturnType<typeof start> {
  [released, begun] = [gate(), gate()];
  const run = await start("long");
  await begun.isOpen;
  await record(run);
  await also(run);
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
  return run;
}

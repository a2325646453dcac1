import { UNCOMMITTED_TASK } from "../../../src/core/base/error-codes";
import { defineTool } from "../../../src/tools";
import { testAddress } from "../../support/environment";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { PollProxy } from "./poll-proxy";

const rigs: Rig[] = [];
const proxies: PollProxy[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop();
  for (const proxy of proxies.splice(0)) await proxy.close();
});

async function rigWith(options: Parameters<typeof openRig>[0]): Promise<Rig> {
  const rig = await openRig({ script: [fenced('(return (task "pay_1" (tool/pay {:cents 7})))')], ...options });
  rigs.push(rig);
  return rig;
}

/** A reminder is a workflow task that comes by itself. */
const payTool = (seconds: number) =>
  defineTool({
    name: "pay",
    signature: "(cents :int) -> :map",
    effect: "write",
    approval: { assignees: ["anna"], remind: `${seconds}s` },
    run: (args) => args,
  });

/**
 * A mission that waits for a person, a worker that was lost with the task of a reminder, and one that got a query before the task. Whether
 * that query was asked before the reminder was due, whether the server has lost it, and whether it was answered in time, is seen later: then
 * once more, with more time.
 */
async function queryBeforeTask() {
  for (let seconds = 6; ; seconds *= 2) {
    const pay = payTool(seconds);
    const tools = [pay];
    const { client, taskQueue, ...first } = await rigWith({ tools });
    const run = await client.startAgent({ agent: agent({ tools: [pay.spec] }), model: "scripted" });
    const isOpen = async () => (await run.reviews()).find(({ status }) => status === "open");
    const { id } = await until(isOpen, "the review opens");
    await first.stopWorker();
    const asked = client.temporal.withDeadline(Date.now() + 60_000, () => run.workflow.query("status"));
    asked.catch(() => {});
    const isDue = async () =>
      (await run.workflow.fetchHistory()).events?.some(({ timerFiredEventAttributes: fired }) => fired != null);
    await until(isDue, "the reminder is due");
    const proxy = await PollProxy.before(testAddress());
    proxies.push(proxy);
    await rigWith({ tools, taskQueue, address: proxy.address });
    if ((await proxy.givesQuery) && !(await isLate(asked))) return { client, run, review: id, asked };
  }
}

const DEADLINE_EXCEEDED = 4;

/** The answer did not come before the server or its client gave the query up. */
const isLate = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    ({ cause }: { cause?: { code?: number } }) => cause?.code === DEADLINE_EXCEEDED,
  );

test("a query that comes to a worker before the task that another one had lost leaves a history that can be replayed", async () => {
  const { client, run, review, asked } = await queryBeforeTask();
  await expect(asked).rejects.toThrow(UNCOMMITTED_TASK);
  // It comes with the task itself, whose history is read anew: on a replay both are one activation.
  await run.decide({ review, choice: "approve", by: "anna" });
  expect((await run.result()).return).toEqual({ cents: 7 });
  await replay((await client.history(run.workflow.workflowId)) as unknown as ExportedHistory);
});

test("a mission that was terminated with a task that no worker had taken is answered for", async () => {
  const tools = [payTool(3_600)];
  const rig = await rigWith({ tools });
  const run = await rig.client.startAgent({ agent: agent({ tools: rig.tools.specs() }), model: "scripted" });
  const isOpen = async () => (await run.reviews()).find(({ status }) => status === "open");
  const { id } = await until(isOpen, "the review opens");
  await rig.stopWorker();
  await run.signalDecide({ review: id, choice: "approve", by: "anna" });
  await run.terminate({ by: "anna" });
  await rig.startWorker();
  expect(await run.reviews()).toHaveLength(1);
});

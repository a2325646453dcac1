import { setTimeout as wait } from "node:timers/promises";
import { defineTool } from "../../../src/tools";
import { replayAndKeep } from "../../support/record";
import type { ExportedHistory } from "../../support/recorded";
import { expectProjectionsToEqual } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Temporal resolves local activities in another order on a replay: nothing of a program may depend on it. */
let rig: Rig;
const keys = new Map<number, string>();

/** The later a read is asked for, the earlier it answers. */
const look = defineTool({
  name: "look",
  signature: "(order_id :int) -> :string",
  effect: "read",
  run: async ({ order_id }) => {
    await wait((5 - Number(order_id)) * 40);
    return `seen ${order_id}`;
  },
});
const payment = (name: string, approval: boolean) =>
  defineTool({
    name,
    approval,
    signature: "(order_id :int) -> :string",
    run: ({ order_id }, call) => {
      keys.set(Number(order_id), call.idempotencyKey);
      return `tx_${order_id}`;
    },
  });
const charge = payment("charge", false);
const approved = payment("approved_charge", true);

beforeAll(async () => {
  const script = {
    looker: [
      fenced(
        "(return (pmap (fn [n] [(tool/look {:order_id n}) (tool/charge {:order_id n}) (tool/look {:order_id n})]) (range 1 5)))",
      ),
    ],
    asker: [
      fenced("(return (pmap (fn [n] [(tool/look {:order_id n}) (tool/approved_charge {:order_id n})]) [1 2 3]))"),
    ],
  };
  rig = await openRig({ tools: [look, charge, approved], script });
});
afterAll(() => rig.stop());

test("what follows reads in parallel branches is the same after its worker was lost", async () => {
  const tools = [look.spec, charge.spec];
  const run = await rig.client.startAgent({ agent: agent({ name: "looker", tools }), model: "scripted" });
  const meant = [1, 2, 3, 4].map((n) => [`seen ${n}`, `tx_${n}`, `seen ${n}`]);
  expect((await run.result()).return).toEqual(meant);
  await rig.stopWorker();
  await rig.startWorker();
  // The new worker replays to answer.
  expect((await run.step()).return).toEqual(meant);
  const [history] = (await rig.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory];
  await replayAndKeep("agent-reads-in-branches", [history]);
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(0);
});

test("so is what people are asked, and each yes goes to its own call", async () => {
  keys.clear();
  const tools = [look.spec, approved.spec];
  const run = await rig.client.startAgent({ agent: agent({ name: "asker", tools }), model: "scripted" });
  // What is still to be told of it goes when it is told.
  const asked = async () => (await run.reviews()).map(({ notices: _, ...review }) => review);
  const reviews = await until(async () => {
    const open = await asked();
    return open.length === 3 ? open : undefined;
  }, "three payments wait");
  await rig.stopWorker();
  await rig.startWorker();
  expect(await asked()).toEqual(reviews);
  for (const { id, body } of reviews)
    await run.decide({ review: id, choice: body?.includes('"order_id": 2') ? "reject" : "approve", by: "anna" });
  await run.result();
  expect([...keys.keys()].sort()).toEqual([1, 3]);
  const [history] = (await rig.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory];
  await replayAndKeep("agent-approvals-in-branches", [history]);
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(0);
});

import { assertOnce, assertReturned, crashWorker, runInMemory, type TestMission } from "../../src/testing";
import type { Tool } from "../../src/tools";
import { toolCall } from "../tools/tool-call";
import { example } from "./example";

/** The refund agent, with a shop that counts. */
const { startShop } = jest.requireActual<{
  startShop(): Promise<{ url: string; refunds: { refund: string; order_id: number; cents: number }[]; close(): void }>;
}>("../../examples/refund/shop.cjs");

let shop: Awaited<ReturnType<typeof startShop>>;
beforeEach(async () => {
  shop = await startShop();
  process.env.SHOP_URL = shop.url;
});
afterEach(() => shop.close());

async function complain(order_id: number, more: Partial<TestMission>) {
  const { agent, mission } = await example("refund");
  return runInMemory(await agent("refund"), { ...mission, context: { order_id, complaint: "Broken." }, ...more });
}

const approve = (by: string, cents?: number) => ({
  choice: "approve",
  by,
  ...(cents === undefined ? {} : { value: { order_id: 42, cents, why: "kindness" } }),
});

test("the changed call runs once, though the worker dies after the money moved", async () => {
  const faults = [crashWorker({ after: { tool: "refund_card" } })];
  const run = await complain(42, { reviews: [approve("anna", 2500)], faults });
  assertReturned(run, { outcome: "refunded", cents: 2500 });
  assertOnce(run, "refund_card", { order_id: 42, cents: 2500 });
  expect(shop.refunds).toEqual([{ refund: "re_42_1", order_id: 42, cents: 2500 }]);
});

test("nobody can raise a small amount to one that needs two people", async () => {
  const run = await complain(42, { reviews: [approve("anna", 50_000)] });
  const told = run.messages.map(({ content }) => content).join("\n");
  expect(told).toContain("This tool refunds 1 to 19999 cents, not 50000.");
  expect(shop.refunds).toEqual([]);
});

test("one person is not enough for a large amount; without a second one within five days it is rejected", async () => {
  const run = await complain(77, { reviews: [approve("anna")] });
  assertReturned(run, { outcome: "refused" });
  expect(run.reviews).toMatchObject([{ votes: [{ by: "anna" }], decision: { choice: "reject", by: "timer" } }]);
  expect(shop.refunds).toEqual([]);
});

test("a person who is not an assignee cannot decide", () =>
  expect(complain(42, { reviews: [approve("eve")] })).rejects.toThrow(/eve/));

test("a refund whose answer is lost is found by its key, and can be taken back", async () => {
  const { mission } = await example("refund");
  const refund = (mission.tools as Tool[]).find(({ spec }) => spec.name === "refund_card") as Tool;
  const args = { order_id: 42, cents: 2500, why: "kindness" };
  const call = toolCall({ idempotencyKey: "k1" });
  expect(await refund.lookup?.("k1", args, call)).toEqual({ state: "absent" });
  const answer = await refund.run(args, call);
  expect(await refund.lookup?.("k1", args, call)).toEqual({ state: "found", value: answer });
  const undo = { ...call, idempotencyKey: "k1~undo", callKey: "k1" };
  for (const _ of ["once", "and again"]) await refund.undo?.(args, answer, undo);
  expect(shop.refunds).toEqual([]);
});

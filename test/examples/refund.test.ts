import { assertOnce, assertReturned, crashWorker, runInMemory, type TestMission } from "../../src/testing";
import { example } from "./example";

/** The refund agent, with a shop that counts. */
const { startShop } = jest.requireActual<{
  startShop(): Promise<{ url: string; refunds: { order_id: number; cents: number }[]; close(): void }>;
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
  expect(shop.refunds).toEqual([{ order_id: 42, cents: 2500 }]);
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

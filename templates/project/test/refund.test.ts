import { test } from "node:test";
import { assertEffects, assertOnce, assertReturned, runInMemory } from "navigator-agents/testing";
import { refund } from "../agents/refund.ts";
import { script } from "../script.ts";

const context = { order_id: 42, cents: 4990, complaint: "The lamp arrived broken." };

test("a refund that a person approves moves the money once", async () => {
  const run = await runInMemory(refund, { context, script, reviews: [{ choice: "approve" }] });
  assertReturned(run, { refunded: true, receipt: "receipt-42" });
  assertOnce(run, "refund_card");
});

test("a refund that a person refuses moves no money", async () => {
  const run = await runInMemory(refund, { context, script, reviews: [{ choice: "reject" }] });
  assertReturned(run, { refunded: false });
  assertEffects(run, []);
});

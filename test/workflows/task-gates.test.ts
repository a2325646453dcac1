import { definitionOf, reviewAt, wayOf } from "./order-graph";
import { decide, useOrders } from "./orders";

/** What people decide at gates, on a real server. */
const orders = useOrders();

describe("a person decides the gate", () => {
  test("passed: the order is charged, shipped and done, with one effect of each kind", async () => {
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    expect(gate).toMatchObject({ source: "gate", title: "Release for shipping?", choices: ["passed", "failed"] });
    const decided = await handle.decide({ review: gate.id, choice: "passed", by: "anna", note: "looks right" });
    expect(decided).toMatchObject({
      status: "decided",
      decision: { choice: "passed", by: "anna", note: "looks right" },
    });

    const task = await handle.result();
    expect(task).toMatchObject({ status: "COMPLETED", currentStep: "done", endResult: "success", retryCount: 0 });
    expect(wayOf(task)).toEqual(["start>", "charge>passed", "approval>passed", "ship>passed"]);
    const scope = handle.workflow.workflowId;
    expect(orders.shop.calls).toEqual([
      { tool: "charge_card", key: `${scope}/charge/charge_order` },
      { tool: "send_receipt", key: `${scope}/charge/receipt_order` },
      { tool: "ship_item", key: `${scope}/ship/ship_order` },
    ]);
    expect(task.history[2]?.output).toEqual({ choice: "passed", by: "anna", note: "looks right" });
  });

  test("failed: the money goes back and nothing ships", async () => {
    const handle = await orders.start();
    await decide(handle, (await reviewAt(handle, "approval")).id, "failed");
    const task = await handle.result();
    expect(task).toMatchObject({ status: "FAILED", currentStep: "cancelled", endResult: "cancelled" });
    expect(orders.shop.calls.map((call) => call.tool)).toEqual(["charge_card", "send_receipt", "refund_card"]);
  });

  test("by a plain signal too", async () => {
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    await handle.signalDecision({ review: gate.id, choice: "passed", by: "webhook" });
    expect(await handle.result()).toMatchObject({ status: "COMPLETED" });
  });

  test("an orchestrator may advance the gate instead, and the review is withdrawn", async () => {
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    await handle.advance({ result: "passed", expectedStep: "approval" });
    expect(await handle.result()).toMatchObject({ status: "COMPLETED" });
    const [review] = await handle.reviews();
    expect(review).toMatchObject({ id: gate.id, status: "withdrawn" });
    expect(review?.decision).toBeUndefined();
  });
});

test("a later gate that sends work back asks for new effects: the key says which visit it is", async () => {
  const definition = definitionOf({
    id: "ship-until-there",
    nodes: {
      start: { type: "start", name: "Start" },
      ship: { type: "task", name: "Ship", agent: "ship" },
      check: { type: "gate", name: "Did it arrive?" },
      done: { type: "end", result: "success", name: "Done" },
    },
    edges: [
      { from: "start", to: "ship" },
      { from: "ship", to: "check", on: "passed" },
      { from: "ship", to: "done", on: "failed" },
      { from: "check", to: "done", on: "passed" },
      { from: "check", to: "ship", on: "failed" },
    ],
  });
  const handle = await orders.start({ definition });
  await decide(handle, (await reviewAt(handle, "check")).id, "failed");
  const second = await reviewAt(handle, "check");
  await decide(handle, second.id, "passed");
  expect(await handle.result()).toMatchObject({ status: "COMPLETED" });
  const scope = handle.workflow.workflowId;
  expect(orders.shop.keysOf("ship_item")).toEqual([`${scope}/ship/ship_order`, `${scope}/ship@2/ship_order`]);
});

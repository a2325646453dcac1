import { until } from "../../support/until";
import { definitionOf, reviewAt, wayOf } from "./order-graph";
import { decide, useOrders } from "./orders";

/** What people decide at gates, on a real server. */
const orders = useOrders();

describe("a person decides the gate", () => {
  test("passed: the order is charged, shipped and done, with one effect of each kind", async () => {
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    expect(gate).toMatchObject({ kind: "gate", title: "Release for shipping?", choices: ["passed", "failed"] });
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
      { tool: "charge_card", key: orders.shop.keyAt(scope, "charge", "charge_card") },
      { tool: "send_receipt", key: orders.shop.keyAt(scope, "charge", "send_receipt") },
      { tool: "ship_item", key: orders.shop.keyAt(scope, "ship", "ship_item") },
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

describe("a gate with assignees", () => {
  const asking = (review: object) =>
    definitionOf({
      id: "asking",
      nodes: {
        start: { type: "start", name: "Start" },
        approval: { type: "gate", name: "Release?", review },
        done: { type: "end", result: "success" },
        cancelled: { type: "end", result: "cancelled" },
      },
      edges: [
        { from: "start", to: "approval" },
        { from: "approval", to: "done", on: "passed" },
        { from: "approval", to: "cancelled", on: "failed" },
      ],
    });

  test("two of three must agree, and only they may", async () => {
    const definition = asking({ assignees: ["anna", "ben", "cleo"], quorum: 2 });
    const handle = await orders.start({ definition });
    const gate = await reviewAt(handle, "approval");
    await expect(handle.decide({ review: gate.id, choice: "passed", by: "dora" })).rejects.toMatchObject({
      code: "not_an_assignee",
    });
    const first = await handle.decide({ review: gate.id, choice: "failed", by: "anna" });
    expect(first).toMatchObject({ status: "open", votes: [{ by: "anna", choice: "failed" }] });
    await handle.signalDecision({ review: gate.id, choice: "passed", by: "ben" });
    const last = await handle.decide({ review: gate.id, choice: "passed", by: "cleo" });
    expect(last.status).toBe("decided");
    const task = await handle.result();
    expect(task).toMatchObject({ status: "COMPLETED", currentStep: "done" });
    expect(task.history.at(-1)?.output).toMatchObject({ choice: "passed", by: "cleo" });
  });

  test("at the timeout the default is taken", async () => {
    const definition = asking({ timeout_ms: 300, on_timeout: "failed" });
    const handle = await orders.start({ definition });
    const task = await handle.result();
    expect(task).toMatchObject({ status: "FAILED", currentStep: "cancelled" });
    expect(task.history.at(-1)?.output).toMatchObject({ choice: "failed", by: "timer" });
    const [review] = await handle.reviews();
    expect(review).toMatchObject({ status: "decided", decision: { by: "timer" } });
  });

  test("people are reminded as long as nobody decides", async () => {
    const handle = await orders.start({ definition: asking({ remind_ms: 100 }) });
    const { id } = await reviewAt(handle, "approval");
    const reminded = async () => (await handle.reviews()).some(({ reminders = 0 }) => reminders > 1);
    await until(reminded, "two reminders were sent");
    await handle.decide({ review: id, choice: "passed", by: "anna" });
    expect(await handle.result()).toMatchObject({ status: "COMPLETED", currentStep: "done" });
  });

  test.each([
    { review: { timeout_ms: 5 }, says: "timeout_ms and on_timeout together" },
    { review: { quorum: 3, assignees: ["a", "b"] }, says: "more people than it names" },
    { review: { remind: 5 }, says: "review" },
  ])("$review is refused", ({ review, says }) => {
    expect(() => asking(review)).toThrow(says);
  });
});

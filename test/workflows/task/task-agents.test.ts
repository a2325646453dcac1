import { randomUUID } from "node:crypto";
import { newTask } from "../../../src/core/graph/task/task";
import { agent } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf, orderGraph, reviewAt, SCRIPT, wayOf } from "./order-graph";
import { decide, useOrders } from "./orders";

/** Steps that agents do: retries, people who are asked, runs that give nothing. */
const orders = useOrders();

describe("an agent node that fails", () => {
  test("is retried in place with the same keys and journal: successful tasks are not repeated", async () => {
    orders.shop.breakTool("send_receipt", 2);
    const handle = await orders.start();
    await decide(handle, (await reviewAt(handle, "approval")).id, "passed");
    const task = await handle.result();
    expect(wayOf(task)).toEqual([
      "start>",
      "charge>failed",
      "charge>failed",
      "charge>passed",
      "approval>passed",
      "ship>passed",
    ]);
    expect(task.retryCount).toBe(2);
    const scope = handle.workflow.workflowId;
    expect(orders.shop.keysOf("charge_card")).toEqual([orders.shop.keyAt(scope, "charge", "charge_card")]);
    expect(new Set(orders.shop.keysOf("send_receipt"))).toEqual(
      new Set([orders.shop.keyAt(scope, "charge", "send_receipt")]),
    );
    expect(orders.shop.keysOf("send_receipt")).toHaveLength(3);
  });

  test("after its retries asks a person, who sees its message", async () => {
    const { handle, review } = await stuck();
    expect(review).toMatchObject({
      kind: "escalation",
      choices: [
        "passed",
        "send back to charge",
        "send back to approval",
        "send back to ship",
        "send back to refund",
        "close",
      ],
      data: { last_step: "charge", last_output: { outcome: "failed" } },
    });
    expect(review.body).toContain('Step "charge" ended with "failed", its retries used up.');
    expect(await handle.show()).toMatchObject({
      status: "HITL",
      currentStep: "stuck",
      retryCount: 2,
      stepRetries: { charge: 2 },
    });
    expect(orders.shop.keysOf("charge_card")).toHaveLength(1);
  });

  test.each(["passed", "send back to charge"])('and continues when the person says "%s"', async (choice) => {
    const { handle, review } = await stuck();
    await decide(handle, review.id, choice);
    const task = await handle.show();
    expect(task).toMatchObject({ currentStep: "charge", stepRetries: {} });
    await decide(handle, (await reviewAt(handle, "approval")).id, "passed");
    expect(await handle.result()).toMatchObject({ status: "COMPLETED", currentStep: "done" });
    expect(orders.shop.keysOf("charge_card")).toHaveLength(1);
    expect(new Set(orders.shop.keysOf("send_receipt")).size).toBe(1);
  });

  test("and ends with the end's result when the person closes it", async () => {
    const { handle, review } = await stuck();
    await decide(handle, review.id, "close");
    const task = await handle.result();
    expect(task).toMatchObject({ status: "FAILED", currentStep: "stuck", endResult: "blocked" });
    expect(task.history.at(-1)).toMatchObject({
      result: null,
      action: "close",
      output: { choice: "close", by: "anna" },
    });
  });

  async function stuck() {
    orders.shop.breakTool("send_receipt", 3);
    const handle = await orders.start();
    return { handle, review: await reviewAt(handle, "stuck") };
  }
});

describe("an agent node whose run gives no Step", () => {
  test("if no worker has the agent's tools, a person is asked after its retries, and the task lives", async () => {
    const definition = orderGraph();
    const lost = agent({ name: "charge", tools: ["no_such_tool"] });
    const task = newTask({ id: randomUUID(), issueId: "i", workflowType: "order-fulfilment" }, definition, Date.now());
    const handle = await orders.client.startTask({ task, definition, agents: { charge: lost }, model: "scripted" });
    const review = await reviewAt(handle, "stuck");
    expect(review.data.last_output).toMatchObject({
      reason: "tool_not_found",
      message: expect.stringContaining("no_such_tool"),
    });
    await decide(handle, review.id, "close");
    expect(await handle.result()).toMatchObject({ status: "FAILED", currentStep: "stuck" });
  });

  test("an agent is not started on a context that does not fit its signature; the person sees which field", async () => {
    const definition = orderGraph();
    const typed = agent({ name: "charge", signature: "(order_id :int) -> :any" });
    const context = { order_id: "forty-two" };
    const input = { id: randomUUID(), issueId: "i", workflowType: "order-fulfilment", context };
    const task = newTask(input, definition, Date.now());
    const handle = await orders.client.startTask({ task, definition, agents: { charge: typed }, model: "scripted" });
    const review = await reviewAt(handle, "stuck");
    expect(review.data.last_output).toMatchObject({
      reason: "validation_error",
      message: 'context.order_id: cannot coerce string "forty-two" to integer',
    });
    expect(orders.shop.keysOf("charge_card")).toEqual([]);
    await decide(handle, review.id, "close");
    await handle.result();
  });

  test("one that an operator terminates counts as failed, and its next attempt carries the same keys", async () => {
    const { charge } = SCRIPT as { [agent: string]: string[] };
    const [first, ...others] = charge ?? [];
    const slow = { content: first as string, delay_ms: 15_000 };
    await orders.reopen({ tools: orders.shop.tools, script: { ...SCRIPT, charge: [slow, ...others] } });
    const handle = await orders.start();
    const { workflowId } = handle.workflow;
    const child = orders.client.temporal.workflow.getHandle(`${workflowId}/charge/1`);
    await until(async () => (await child.describe()).status.name === "RUNNING", "the child runs");
    await child.terminate("by an operator");
    await decide(handle, (await reviewAt(handle, "approval")).id, "passed");
    expect(wayOf(await handle.result()).slice(1, 3)).toEqual(["charge>failed", "charge>passed"]);
    expect(orders.shop.keysOf("charge_card")).toEqual([orders.shop.keyAt(workflowId, "charge", "charge_card")]);
  });
});

describe("an outcome without an edge", () => {
  const oneStep = (outputs: string[]) =>
    definitionOf({
      id: "one-step",
      nodes: {
        start: { type: "start", name: "Start" },
        ship: { type: "task", name: "Ship", agent: "odd", outputs },
        done: { type: "end", result: "success", name: "Done" },
      },
      edges: [
        { from: "start", to: "ship" },
        { from: "ship", to: "done", on: "passed" },
      ],
    });

  test.each([
    { what: "one that the step does not have", outputs: ["passed", "failed"], says: '"sideways"' },
    { what: "one that has no edge", outputs: ["passed", "sideways"], says: "no edge leads on" },
  ])("$what: a person is asked, once, and continues it", async ({ outputs, says }) => {
    const handle = await orders.start({ definition: oneStep(outputs) });
    const review = await reviewAt(handle, "ship");
    expect(review).toMatchObject({ kind: "escalation", choices: ["passed", "send back to ship", "close"] });
    expect(review.body).toContain(says);
    expect(orders.shop.keysOf("ship_item")).toHaveLength(1);
    await decide(handle, review.id, "passed");
    expect(await handle.result()).toMatchObject({ status: "COMPLETED", currentStep: "done" });
  });

  test("a person's choice without an edge is refused, and the review stays open", async () => {
    const definition = definitionOf({
      id: "narrow-gate",
      nodes: {
        start: { type: "start", name: "Start" },
        check: { type: "gate", name: "Is it right?" },
        done: { type: "end", result: "success", name: "Done" },
      },
      edges: [
        { from: "start", to: "check" },
        { from: "check", to: "done", on: "passed" },
      ],
    });
    const handle = await orders.start({ definition, shop: undefined });
    const gate = await reviewAt(handle, "check");
    await expect(decide(handle, gate.id, "failed")).rejects.toMatchObject({ code: "no_matching_edge" });
    expect(await handle.reviews()).toEqual([gate]);
  });
});

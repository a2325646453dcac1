import { randomUUID } from "node:crypto";
import { until } from "../../support/until";
import { orderGraph, reviewAt, SCRIPT } from "./order-graph";
import { decide, useOrders } from "./orders";

/** What lists, the inbox and a second start show. */
const orders = useOrders();

describe("lists", () => {
  test("status, step and open reviews are search attributes that follow the task", async () => {
    const handle = await orders.start();
    const listed = (query: string) =>
      until(async () => {
        const id = handle.workflow.workflowId;
        for await (const info of orders.client.temporal.workflow.list({ query: `WorkflowId = "${id}" AND ${query}` }))
          return info;
        return undefined;
      }, query);
    const gate = await reviewAt(handle, "approval");
    const waiting = await listed(
      'NavigatorStep = "approval" AND NavigatorOpenReviews = 1 AND NavigatorStatus = "PENDING"',
    );
    expect(waiting.searchAttributes).toMatchObject({
      NavigatorKind: ["task"],
      NavigatorWorkflow: ["order-fulfilment"],
      NavigatorIssue: ["issue-42"],
    });
    await decide(handle, gate.id, "passed");
    await handle.result();
    await listed('NavigatorStep = "done" AND NavigatorOpenReviews = 0 AND NavigatorStatus = "COMPLETED"');
  });

  test("openReviews lists a task that has no worker, too", async () => {
    const lonely = await orders.start();
    const lonelyGate = await reviewAt(lonely, "approval");
    await orders.reopen({ tools: orders.shop.tools, script: SCRIPT });
    const served = await orders.start();
    const gate = await reviewAt(served, "approval");
    await until(async () => {
      const { open } = await orders.client.openReviews();
      const ids = open.map(({ review }) => review.id);
      return ids.includes(gate.id) && ids.includes(lonelyGate.id);
    }, "both are listed");
  });

  test("openReviews lists the open reviews of all tasks or of one", async () => {
    const [one, two] = await Promise.all([orders.start(), orders.start()]);
    const gates = [await reviewAt(one, "approval"), await reviewAt(two, "approval")];
    const ids = gates.map((gate) => gate.id);
    await until(async () => {
      const open = (await orders.client.openReviews()).open.map(({ review }) => review.id);
      return ids.every((id) => open.includes(id));
    }, "both reviews are listed");
    expect((await orders.client.openReviews({ workflow: `task/${one.id}` })).open).toEqual([
      { workflow_id: `task/${one.id}`, review: gates[0] },
    ]);
    await decide(one, gates[0]?.id as string, "passed");
    await one.result();
    expect((await orders.client.openReviews({ workflow: `task/${one.id}` })).open).toEqual([]);
  });
});

test("starting the same task id again returns the running one, and its end", async () => {
  const id = randomUUID();
  const one = await orders.start({ id });
  const gate = await reviewAt(one, "approval");
  await expect(orders.start({ id, definition: { ...orderGraph(), name: "another version" } })).rejects.toMatchObject({
    code: "id_in_use",
    details: { differs: ["definition"] },
  });
  const two = await orders.start({ id });
  expect((await two.definition()).name).toBe("Order fulfilment");
  await decide(two, gate.id, "passed");
  expect(await one.result()).toMatchObject({ status: "COMPLETED" });
  const three = await orders.start({ id });
  expect(await three.result()).toEqual(await one.result());
  expect(orders.shop.keysOf("charge_card")).toHaveLength(1);
});

import { until } from "../../support/until";
import { reviewAt } from "./order-graph";
import { decide, detailsOf, useOrders } from "./orders";

/** Decisions that cannot be taken. */
const orders = useOrders();

describe("invalid decisions", () => {
  test.each([
    { wrong: "an unknown review", change: { review: "nobody/asked/1" }, code: "review_not_found" },
    { wrong: "no review", change: { review: "" }, code: "invalid_decision" },
    {
      wrong: "an unknown choice",
      change: { choice: "perhaps" },
      code: "invalid_decision",
      details: { path: "choice" },
    },
    { wrong: "nobody who decides", change: { by: "" }, code: "invalid_decision" },
  ])("$wrong: refused as $code by update, counted by signal, and the task stays", async ({ change, code }) => {
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    const decision = { review: gate.id, choice: "passed", by: "anna", ...change };
    const before = await handle.show();
    await expect(handle.decide(decision)).rejects.toMatchObject({ code });
    await handle.signalDecision(decision);
    await until(async () => (await detailsOf(handle)).includes("1 signal(s) refused"), "the bad signal is counted");
    expect(await handle.show()).toEqual(before);
    expect(await handle.reviews()).toEqual([gate]);
  });

  test("a second decision is refused with person and time; as a signal it changes nothing", async () => {
    const { handle, first } = await rejectedAndStuck();
    const again = { review: first.id, choice: "passed", by: "eve" };
    const refusal = await handle.decide(again).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: "already_decided",
      details: { choice: "failed", by: "anna", at: expect.any(Number) },
    });
    expect((refusal as Error).message).toMatch(/"failed" by anna at \d{4}-\d\d-\d\dT/);
    const before = await handle.show();
    await handle.signalDecision(again);
    await until(async () => (await detailsOf(handle)).includes("1 signal(s) refused"), "the late signal is counted");
    expect(await handle.show()).toEqual(before);
  });

  test("a decision on a review that the task has moved past is refused as withdrawn", async () => {
    orders.shop.breakTool("refund_card", 1);
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    await handle.advance({ result: "failed" });
    await reviewAt(handle, "stuck");
    await expect(handle.decide({ review: gate.id, choice: "passed", by: "anna" })).rejects.toMatchObject({
      code: "already_over",
      details: { path: gate.id, kind: "review" },
    });
  });

  test("a task that has ended takes no decision", async () => {
    const handle = await orders.start();
    const gate = await reviewAt(handle, "approval");
    await decide(handle, gate.id, "passed");
    await handle.result();
    await expect(decide(handle, gate.id, "failed")).rejects.toMatchObject({ code: "task_closed" });
  });

  /** The gate was decided, and the task waits for a person again further on. */
  async function rejectedAndStuck() {
    orders.shop.breakTool("refund_card", 1);
    const handle = await orders.start();
    const first = await reviewAt(handle, "approval");
    await decide(handle, first.id, "failed");
    await reviewAt(handle, "stuck");
    return { handle, first };
  }
});

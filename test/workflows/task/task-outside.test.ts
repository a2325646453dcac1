import { until } from "../../support/until";
import { definitionOf, reviewAt } from "./order-graph";
import { detailsOf, useOrders } from "./orders";

/** Steps that an orchestrator drives. */
const orders = useOrders();

describe("steps driven from outside", () => {
  const graph = () =>
    definitionOf({
      id: "outside",
      nodes: {
        start: { type: "start", name: "Start" },
        build: { type: "task", name: "Build", outputs: ["passed", "failed"] },
        done: { type: "end", result: "success", name: "Done" },
        lost: { type: "end", result: "blocked", name: "Lost" },
      },
      edges: [
        { from: "start", to: "build" },
        { from: "build", to: "done", on: "passed" },
        { from: "build", to: "lost", on: "failed" },
      ],
    });
  const atBuild = async () => {
    const handle = await orders.start({ definition: graph(), shop: undefined });
    await until(async () => (await handle.show()).currentStep === "build", "the task is at build");
    return handle;
  };

  test.each([
    { step: {}, code: "result_required" },
    { step: { result: "maybe" }, code: "invalid_result" },
    { step: { result: "max_retries_exceeded" }, code: "reserved_result" },
    { step: { result: "passed", expectedStep: "start" }, code: "step_changed" },
  ])("advance with $step is refused as $code and nothing moves", async ({ step, code }) => {
    const handle = await atBuild();
    const before = await handle.show();
    await expect(handle.advance(step)).rejects.toMatchObject({ code });
    expect(await handle.show()).toEqual(before);
  });

  test("advance moves the task and returns its new step; a closed task takes no more", async () => {
    const handle = await atBuild();
    const answer = await handle.advance({ result: "passed", output: { log: "ok" }, expectedStep: "build" });
    expect(answer).toMatchObject({ success: true, previousStep: "build", nextStep: "done", terminal: "success" });
    const task = await handle.result();
    expect(task).toMatchObject({ status: "COMPLETED" });
    expect(task.history.at(-1)).toMatchObject({ step: "build", result: "passed", output: { log: "ok" } });
    await expect(handle.advance({ result: "passed" })).rejects.toMatchObject({ code: "task_closed" });
  });

  test("advance is refused where an agent works", async () => {
    await orders.reopen({
      tools: orders.shop.tools,
      script: { charge: [{ content: "```clojure\n(return 1)\n```", delay_ms: 60_000 }] },
    });
    const handle = await orders.start();
    await until(async () => (await handle.show()).currentStep === "charge", "the task is at charge");
    await expect(handle.advance({ result: "passed" })).rejects.toMatchObject({ code: "child_active" });
  });
});

test.each([
  { what: "too large", output: "x".repeat(300_000), decision: "invalid_decision", says: "the limit is 256000" },
  {
    what: "too deep",
    output: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`),
    decision: "invalid_input",
    says: "levels deep",
  },
])("an output that is $what is refused, and the task stays", async ({ output, decision, says }) => {
  const handle = await orders.start({ shop: undefined });
  await until(async () => (await handle.show()).currentStep === "charge", "the task is at charge");
  await expect(handle.advance({ result: "passed", output })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(says),
  });
  await handle.advance({ result: "passed" });
  const review = (await reviewAt(handle, "approval")).id;
  await expect(handle.decide({ review, choice: "passed", by: "anna", value: output })).rejects.toMatchObject({
    code: decision,
  });
  await handle.workflow.signal("decide", { review, choice: "passed", by: "anna", value: output });
  await until(async () => (await detailsOf(handle)).includes("1 signal(s) refused"), "the bad signal is counted");
});

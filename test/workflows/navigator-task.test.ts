import { randomUUID } from "node:crypto";
import type { TaskHandle } from "../../src/client";
import { newTask } from "../../src/core/graph/task";
import { agent, openRig, type Rig } from "../support/rig";
import { until } from "../support/until";
import {
  definitionOf,
  endOrders,
  openShop,
  orderGraph,
  reviewAt,
  SCRIPT,
  type Shop,
  startOrder,
  wayOf,
} from "./order-graph";

/** The order graph on a real server: agents as children, a person at the gate, tools that count. */
let shop: Shop;
let rig: Rig;
beforeEach(async () => {
  shop = openShop();
  rig = await openRig({ tools: shop.tools, script: SCRIPT });
});
afterEach(async () => {
  await endOrders(rig.client);
  await rig.stop();
});

const decide = (handle: TaskHandle, review: string, choice: string) => handle.decide({ review, choice, by: "anna" });

describe("a person decides the gate", () => {
  test("passed: the order is charged, shipped and done, with one effect of each kind", async () => {
    const handle = await startOrder(rig.client, { shop });
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
    expect(shop.calls).toEqual([
      { tool: "charge_card", key: `${scope}/charge/charge_order` },
      { tool: "send_receipt", key: `${scope}/charge/receipt_order` },
      { tool: "ship_item", key: `${scope}/ship/ship_order` },
    ]);
    expect(task.history[2]?.output).toEqual({ choice: "passed", by: "anna", note: "looks right" });
  });

  test("failed: the money goes back and nothing ships", async () => {
    const handle = await startOrder(rig.client, { shop });
    await decide(handle, (await reviewAt(handle, "approval")).id, "failed");
    const task = await handle.result();
    expect(task).toMatchObject({ status: "FAILED", currentStep: "cancelled", endResult: "cancelled" });
    expect(shop.calls.map((call) => call.tool)).toEqual(["charge_card", "send_receipt", "refund_card"]);
  });

  test("by a plain signal too", async () => {
    const handle = await startOrder(rig.client, { shop });
    const gate = await reviewAt(handle, "approval");
    await handle.signalDecision({ review: gate.id, choice: "passed", by: "webhook" });
    expect(await handle.result()).toMatchObject({ status: "COMPLETED" });
  });

  test("an orchestrator may advance the gate instead, and the review is withdrawn", async () => {
    const handle = await startOrder(rig.client, { shop });
    const gate = await reviewAt(handle, "approval");
    await handle.advance({ result: "passed", expectedStep: "approval" });
    expect(await handle.result()).toMatchObject({ status: "COMPLETED" });
    const [review] = await handle.reviews();
    expect(review).toMatchObject({ id: gate.id, status: "withdrawn" });
    expect(review?.decision).toBeUndefined();
  });
});

describe("an agent node that fails", () => {
  test("is tried again in place with the same keys and journal: what succeeded is not repeated", async () => {
    shop.breakTool("send_receipt", 2);
    const handle = await startOrder(rig.client, { shop });
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
    expect(shop.keysOf("charge_card")).toEqual([`${scope}/charge/charge_order`]);
    expect(new Set(shop.keysOf("send_receipt"))).toEqual(new Set([`${scope}/charge/receipt_order`]));
    expect(shop.keysOf("send_receipt")).toHaveLength(3);
  });

  test("after its retries asks a person, who sees what it said", async () => {
    const { handle, review } = await stuck();
    expect(review).toMatchObject({
      source: "escalation",
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
    expect(shop.keysOf("charge_card")).toHaveLength(1);
  });

  test.each(["passed", "send back to charge"])('and goes on when the person says "%s"', async (choice) => {
    const { handle, review } = await stuck();
    await decide(handle, review.id, choice);
    const task = await handle.show();
    expect(task).toMatchObject({ currentStep: "charge", stepRetries: {} });
    await decide(handle, (await reviewAt(handle, "approval")).id, "passed");
    expect(await handle.result()).toMatchObject({ status: "COMPLETED", currentStep: "done" });
    expect(shop.keysOf("charge_card")).toHaveLength(1);
    expect(new Set(shop.keysOf("send_receipt")).size).toBe(1);
  });

  test("and ends as the end says when the person closes it", async () => {
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
    shop.breakTool("send_receipt", 3);
    const handle = await startOrder(rig.client, { shop });
    return { handle, review: await reviewAt(handle, "stuck") };
  }
});

describe("an agent node whose run gives no Step", () => {
  test("an agent whose tools no worker has: a person is asked after its retries, and the task lives", async () => {
    const definition = orderGraph();
    const lost = agent({ name: "charge", tools: ["no_such_tool"] });
    const task = newTask({ id: randomUUID(), issueId: "i", workflowType: "order-fulfilment" }, definition, Date.now());
    const handle = await rig.client.startTask({ task, definition, agents: { charge: lost }, model: "scripted" });
    const review = await reviewAt(handle, "stuck");
    expect(review.data.last_output).toMatchObject({
      reason: "tool_not_found",
      message: expect.stringContaining("no_such_tool"),
    });
    await decide(handle, review.id, "close");
    expect(await handle.result()).toMatchObject({ status: "FAILED", currentStep: "stuck" });
  });

  test("one that an operator terminates counts as failed, and its next attempt carries the same keys", async () => {
    await rig.stop();
    const { charge } = SCRIPT as { [agent: string]: string[] };
    const [first, ...others] = charge ?? [];
    const slow = { content: first as string, delay_ms: 3_000 };
    rig = await openRig({ tools: shop.tools, script: { ...SCRIPT, charge: [slow, ...others] } });
    const handle = await startOrder(rig.client, { shop });
    const { workflowId } = handle.workflow;
    const child = rig.client.temporal.workflow.getHandle(`${workflowId}/charge/1`);
    await until(async () => (await child.describe()).status.name === "RUNNING", "the child runs");
    await child.terminate("by an operator");
    await decide(handle, (await reviewAt(handle, "approval")).id, "passed");
    expect(wayOf(await handle.result()).slice(1, 3)).toEqual(["charge>failed", "charge>passed"]);
    expect(shop.keysOf("charge_card")).toEqual([`${workflowId}/charge/charge_order`]);
  });
});

test.each([
  { what: "too large", output: "x".repeat(300_000), says: "the limit is 256000" },
  { what: "too deep", output: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`), says: "levels deep" },
])("an output that is $what is refused, and the task stays", async ({ output, says }) => {
  const handle = await startOrder(rig.client, {});
  await until(async () => (await handle.show()).currentStep === "charge", "the task is at charge");
  await expect(handle.advance({ result: "passed", output })).rejects.toMatchObject({
    code: "invalid_arguments",
    message: expect.stringContaining(says),
  });
  await handle.advance({ result: "passed" });
  const review = (await reviewAt(handle, "approval")).id;
  await expect(handle.decide({ review, choice: "passed", by: "anna", value: output })).rejects.toMatchObject({
    code: "invalid_decision",
  });
  await handle.signalDecision({ review, choice: "passed", by: "anna", value: output });
  await until(async () => (await detailsOf(handle)).includes("1 signal(s) refused"), "the bad signal is counted");
});

describe("an outcome that leads nowhere", () => {
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
  ])("$what: a person is asked, once, and takes it on", async ({ outputs, says }) => {
    const handle = await startOrder(rig.client, { definition: oneStep(outputs), shop });
    const review = await reviewAt(handle, "ship");
    expect(review).toMatchObject({ source: "escalation", choices: ["passed", "send back to ship", "close"] });
    expect(review.body).toContain(says);
    expect(shop.keysOf("ship_item")).toHaveLength(1);
    await decide(handle, review.id, "passed");
    expect(await handle.result()).toMatchObject({ status: "COMPLETED", currentStep: "done" });
  });

  test("a person's choice that has no edge is refused, and the review stays open", async () => {
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
    const handle = await startOrder(rig.client, { definition });
    const gate = await reviewAt(handle, "check");
    await expect(decide(handle, gate.id, "failed")).rejects.toMatchObject({ code: "no_matching_edge" });
    expect(await handle.reviews()).toEqual([gate]);
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
  const handle = await startOrder(rig.client, { definition, shop });
  await decide(handle, (await reviewAt(handle, "check")).id, "failed");
  const second = await reviewAt(handle, "check");
  await decide(handle, second.id, "passed");
  expect(await handle.result()).toMatchObject({ status: "COMPLETED" });
  const scope = handle.workflow.workflowId;
  expect(shop.keysOf("ship_item")).toEqual([`${scope}/ship/ship_order`, `${scope}/ship@2/ship_order`]);
});

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
    const handle = await startOrder(rig.client, { definition: graph() });
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

  test("advance moves the task and answers where to; a closed task takes no more", async () => {
    const handle = await atBuild();
    const answer = await handle.advance({ result: "passed", output: { log: "ok" }, expectedStep: "build" });
    expect(answer).toMatchObject({ success: true, previousStep: "build", nextStep: "done", terminal: "success" });
    const task = await handle.result();
    expect(task).toMatchObject({ status: "COMPLETED" });
    expect(task.history.at(-1)).toMatchObject({ step: "build", result: "passed", output: { log: "ok" } });
    await expect(handle.advance({ result: "passed" })).rejects.toMatchObject({ code: "task_closed" });
  });

  test("advance is refused where an agent works", async () => {
    await rig.stop();
    rig = await openRig({
      tools: shop.tools,
      script: { charge: [{ content: "```clojure\n(return 1)\n```", delay_ms: 4_000 }] },
    });
    const handle = await startOrder(rig.client, { shop });
    await until(async () => (await handle.show()).currentStep === "charge", "the task is at charge");
    await expect(handle.advance({ result: "passed" })).rejects.toMatchObject({ code: "child_active" });
  });
});

describe("decisions that cannot be taken", () => {
  test.each([
    { wrong: "an unknown review", change: { review: "nobody/asked/1" }, code: "review_not_found" },
    { wrong: "no review", change: { review: "" }, code: "invalid_decision" },
    { wrong: "an unknown choice", change: { choice: "perhaps" }, code: "invalid_choice" },
    { wrong: "nobody who decides", change: { by: "" }, code: "invalid_decision" },
  ])("$wrong: refused as $code by update, counted by signal, and the task stays", async ({ change, code }) => {
    const handle = await startOrder(rig.client, { shop });
    const gate = await reviewAt(handle, "approval");
    const decision = { review: gate.id, choice: "passed", by: "anna", ...change };
    const before = await handle.show();
    await expect(handle.decide(decision)).rejects.toMatchObject({ code });
    await handle.signalDecision(decision);
    await until(async () => (await detailsOf(handle)).includes("1 signal(s) refused"), "the bad signal is counted");
    expect(await handle.show()).toEqual(before);
    expect(await handle.reviews()).toEqual([gate]);
  });

  test("a second decision says who decided and when; a signal of it changes nothing", async () => {
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
    shop.breakTool("refund_card", 1);
    const handle = await startOrder(rig.client, { shop });
    const gate = await reviewAt(handle, "approval");
    await handle.advance({ result: "failed" });
    await reviewAt(handle, "stuck");
    await expect(handle.decide({ review: gate.id, choice: "passed", by: "anna" })).rejects.toMatchObject({
      code: "review_withdrawn",
    });
  });

  test("a task that has ended takes no decision", async () => {
    const handle = await startOrder(rig.client, { shop });
    const gate = await reviewAt(handle, "approval");
    await decide(handle, gate.id, "passed");
    await handle.result();
    await expect(decide(handle, gate.id, "failed")).rejects.toMatchObject({ code: "task_closed" });
  });

  /** The gate was decided, and the task waits for a person again further on. */
  async function rejectedAndStuck() {
    shop.breakTool("refund_card", 1);
    const handle = await startOrder(rig.client, { shop });
    const first = await reviewAt(handle, "approval");
    await decide(handle, first.id, "failed");
    await reviewAt(handle, "stuck");
    return { handle, first };
  }
});

describe("what lists show", () => {
  test("status, step and open reviews are search attributes that follow the task", async () => {
    const handle = await startOrder(rig.client, { shop });
    const listed = (query: string) =>
      until(async () => {
        const id = handle.workflow.workflowId;
        for await (const info of rig.client.temporal.workflow.list({ query: `WorkflowId = "${id}" AND ${query}` }))
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

  test("openReviews names a task whose worker is gone, and lists the others", async () => {
    const lonely = await startOrder(rig.client, { shop });
    await reviewAt(lonely, "approval");
    await rig.stop();
    rig = await openRig({ tools: shop.tools, script: SCRIPT });
    const served = await startOrder(rig.client, { shop });
    const gate = await reviewAt(served, "approval");
    const workflow_id = lonely.workflow.workflowId;
    const inbox = await until(async () => {
      const { open, unanswered } = await rig.client.openReviews();
      return open.some(({ review }) => review.id === gate.id) && unanswered.length > 0 ? { unanswered } : undefined;
    }, "one is listed, the other named");
    expect(inbox.unanswered.map((one) => one.workflow_id)).toContain(workflow_id);
  });

  test("openReviews lists what waits, of all tasks or of one", async () => {
    const [one, two] = await Promise.all([startOrder(rig.client, { shop }), startOrder(rig.client, { shop })]);
    const gates = [await reviewAt(one, "approval"), await reviewAt(two, "approval")];
    const ids = gates.map((gate) => gate.id);
    await until(async () => {
      const open = (await rig.client.openReviews()).open.map(({ review }) => review.id);
      return ids.every((id) => open.includes(id));
    }, "both reviews are listed");
    expect((await rig.client.openReviews({ task: one.id })).open).toEqual([
      { workflow_id: `task/${one.id}`, review: gates[0] },
    ]);
    await decide(one, gates[0]?.id as string, "passed");
    await one.result();
    expect((await rig.client.openReviews({ task: one.id })).open).toEqual([]);
  });
});

test("starting the same task id again answers with the running one, and with its end", async () => {
  const id = randomUUID();
  const one = await startOrder(rig.client, { id, shop });
  const gate = await reviewAt(one, "approval");
  const two = await startOrder(rig.client, { id, shop, definition: { ...orderGraph(), name: "another version" } });
  expect((await two.definition()).name).toBe("Order fulfilment");
  await decide(two, gate.id, "passed");
  expect(await one.result()).toMatchObject({ status: "COMPLETED" });
  const three = await startOrder(rig.client, { id, shop });
  expect(await three.result()).toEqual(await one.result());
  expect(shop.keysOf("charge_card")).toHaveLength(1);
});

/** What the Temporal Web UI shows of a running task. */
async function detailsOf(handle: TaskHandle): Promise<string> {
  const metadata = await handle.workflow.query<{ currentDetails?: string }>("__temporal_workflow_metadata");
  return metadata.currentDetails ?? "";
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentHandle } from "../../../src/client/handles";
import { missionHistories } from "../../../src/client/mission-tree";
import { whyInHistory } from "../../../src/core/history/why/why-in-history";
import type { ReviewNotification } from "../../../src/core/review/notification";
import type { Decision } from "../../../src/core/review/review";
import type { ApprovalOptions, ToolContext } from "../../../src/tools";
import { defineTool, LATER, ToolRetry, UnknownOutcome } from "../../../src/tools";
import { keyOf } from "../../support/effect-keys";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { until } from "../../support/until";

const openRig = sharedRigs();

/** Calls that people approve, on a real server: who may, how many, how long; and how else calls may be made. */
let rig: Rig;
let ran: unknown[];
beforeEach(() => {
  ran = [];
});
afterEach(() => rig.stop());

const refund = (approval: boolean | ApprovalOptions) =>
  defineTool({
    name: "refund",
    signature: "(order :int, cents :int) -> :map",
    effect: "irreversible",
    approval,
    run: (args, call) => {
      ran.push([args, call.idempotencyKey]);
      return args;
    },
  });

const ASK = '(def refund (task "refund_7" (tool/refund {:order 7 :cents 1000})))\n(return refund)';

async function mission(tool: ReturnType<typeof refund>, ...script: string[]) {
  rig = await openRig({ tools: [tool], script: (script.length > 0 ? script : [ASK]).map(fenced) });
  return rig.client.startAgent({ agent: agent({ tools: [tool.spec], max_turns: 4 }), model: "scripted" });
}

const opened = (run: AgentHandle) =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "the review opens");

test("a mission waits for approval, is in the inbox, survives its worker, and runs the approved call", async () => {
  const run = await mission(refund(true));
  const review = await opened(run);
  expect(review).toMatchObject({
    id: `${run.workflow.workflowId}/refund/1`,
    kind: "approval",
    title: "Call refund?",
    choices: ["approve", "reject"],
    data: { tool: "refund", args: { order: 7, cents: 1000 }, effect: "irreversible", task: "refund_7" },
  });
  const inbox = await until(async () => {
    const { open } = await rig.client.openReviews();
    return open.find((one) => one.review.id === review.id);
  }, "the review is in the inbox");
  expect(inbox.workflow_id).toBe(run.workflow.workflowId);
  await rig.stopWorker();
  await rig.startWorker();

  const wrong = [
    { decision: { choice: "aprove", by: "anna" }, code: "invalid_decision", details: { path: "choice" } },
    { decision: { choice: "approve", by: "" }, code: "invalid_decision" },
    {
      decision: { choice: "approve", by: "anna", value: { cents: null } },
      code: "invalid_decision",
      details: { path: "value" },
    },
    {
      decision: { choice: "approve", by: "anna", value: { cent: 5 } },
      code: "invalid_decision",
      details: { path: "value" },
    },
    {
      decision: { choice: "approve", by: "anna", value: { order: 7, cents: "5" } },
      code: "invalid_decision",
      details: { path: "value" },
    },
    { decision: { choice: "approve", by: "anna", value: 5 }, code: "invalid_decision", details: { path: "value" } },
  ];
  for (const { decision, code } of wrong)
    await expect(run.decide({ review: review.id, ...decision } as Decision)).rejects.toMatchObject({ code });
  await expect(run.decide({ review: "other", choice: "approve", by: "anna" })).rejects.toMatchObject({
    code: "review_not_found",
  });
  // A signal that decides nothing is counted, and changes nothing.
  await run.signalDecide({ review: review.id, choice: "aprove", by: "anna" });
  await until(async () => (await run.status()).refused_signals === 1, "the bad signal is counted");
  expect(ran).toEqual([]);

  const decided = await run.decide({
    review: review.id,
    choice: "approve",
    by: "anna",
    note: "half",
    // Only what changes.
    value: { cents: 500 },
  });
  expect(decided).toMatchObject({ status: "decided", decision: { choice: "approve", by: "anna", note: "half" } });
  const step = await run.result();
  expect(step.return).toEqual({ order: 7, cents: 500 });
  const approved = { order: 7, cents: 500 };
  expect(ran).toEqual([[approved, keyOf(run.workflow.workflowId, refund(true).spec, approved)]]);
  expect(step.tool_calls[0]).toMatchObject({
    args: { order: 7, cents: 500 },
    approval: { choice: "approve", by: "anna", note: "half", requested_args: { order: 7, cents: 1000 } },
  });
  expect(await run.journal()).toMatchObject([{ id: "refund_7", note: "approved by anna: half" }]);
  await expect(run.decide({ review: review.id, choice: "reject", by: "ben" })).rejects.toMatchObject({
    code: expect.stringMatching(/already_decided|not_found/),
  });
  const histories = (await rig.client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[];
  for (const history of histories) await replay(history);
});

test("by plain signal; a rejection is a tool_error that the model sees", async () => {
  const run = await mission(refund(true), ASK, '(return (str "no: " (:message data/fail)))');
  const review = await opened(run);
  await run.signalDecide({ review: review.id, choice: "reject", by: "ben", note: "too old" });
  const step = await run.result();
  expect(step.return).toContain("ben rejected the call: too old");
  expect(step.journal).toEqual({});
  expect(ran).toEqual([]);
});

test("a text agent reads why a person refused, and what one said of a lost answer; its effects are explained and undone", async () => {
  const undone: unknown[] = [];
  const hotel = defineTool({
    name: "hotel",
    signature: "(cents :int) -> :map",
    effect: "irreversible",
    approval: true,
    run: (args) => {
      ran.push(args.cents);
      return args;
    },
    undo: ({ cents }) => {
      undone.push(cents);
    },
  });
  const wire = defineTool({
    name: "wire",
    effect: "irreversible",
    run: () => {
      throw new UnknownOutcome("the line broke");
    },
  });
  const book = (id: string, cents: number) => ({ id, name: "hotel", args: { cents } });
  rig = await openRig({
    tools: [hotel, wire],
    script: [
      { tool_calls: [book("a", 90_000)] },
      { if_contains: "at most 100 EUR", tool_calls: [book("b", 9_000), { id: "c", name: "wire", args: {} }] },
      { if_contains: "seen on the statement", content: "Booked, and paid." },
    ],
  });
  const run = await rig.client.startAgent({
    agent: agent({ output: "text", tools: [hotel.spec, wire.spec] }),
    model: "scripted",
  });
  await run.decide({ review: (await opened(run)).id, choice: "reject", by: "anna", note: "at most 100 EUR" });
  // The answer of the one call is lost while the other one waits for a person.
  const both = await until(async () => {
    const open = (await run.reviews()).filter(({ status }) => status === "open");
    return open.length === 2 && open;
  }, "both calls ask");
  const about = (tool: string) => both.find(({ id }) => id.includes(`/${tool}/`))?.id as string;
  const seen = { choice: "it_happened", by: "ben", note: "seen on the statement" };
  await run.decide({ review: about("wire"), ...seen });
  await run.decide({ review: about("hotel"), choice: "approve", by: "anna", note: "fine" });
  expect((await run.result()).return).toBe("Booked, and paid.");
  expect(ran).toEqual([9_000]);

  const id = run.workflow.workflowId;
  const reasons = whyInHistory(await missionHistories(rig.client, id));
  expect(reasons.map(({ effect: { tool, state, by }, model }) => [tool, state, by, model])).toEqual([
    ["hotel", "refused", "anna", "scripted"],
    ["wire", "done", "ben", "scripted"],
    // An effect has the time of the yes.
    ["hotel", "done", "anna", "scripted"],
  ]);
  expect(JSON.stringify(reasons[2]?.reviews)).toContain("fine");
  const undo = await rig.client.undo(id);
  expect(undo.plan).toMatchObject({
    steps: [{ task: 'hotel {"cents":9000}' }],
    remaining: [{ tool: "wire", obstacle: "no_undo" }],
  });
  await undo.run();
  expect(undone).toEqual([9_000]);
});

test("two of three must make the same choice; a second vote of the same person is refused", async () => {
  const run = await mission(refund({ assignees: ["anna", "ben", "cleo"], quorum: 2 }));
  const { id } = await opened(run);
  await expect(run.decide({ review: id, choice: "approve", by: "dora" })).rejects.toMatchObject({
    code: "not_an_assignee",
  });
  const first = await run.decide({ review: id, choice: "approve", by: "anna", value: { order: 7, cents: 1 } });
  expect(first).toMatchObject({ status: "open", votes: [{ by: "anna" }] });
  await expect(run.decide({ review: id, choice: "reject", by: "anna" })).rejects.toMatchObject({
    code: "already_voted",
  });
  // The same choice with other arguments is another choice.
  const second = await run.decide({ review: id, choice: "approve", by: "ben", value: { order: 7, cents: 2 } });
  expect(second.status).toBe("open");
  const third = await run.decide({ review: id, choice: "approve", by: "cleo", value: { cents: 2 } });
  expect(third).toMatchObject({ status: "decided", votes: [{ by: "anna" }, { by: "ben" }, { by: "cleo" }] });
  expect((await run.result()).return).toEqual({ order: 7, cents: 2 });
});

test("if no two people can agree any more, the default is taken", async () => {
  const run = await mission(refund({ assignees: ["anna", "ben"], quorum: 2 }), ASK, "(return :given_up)");
  const { id } = await opened(run);
  await run.decide({ review: id, choice: "approve", by: "anna" });
  const last = await run.decide({ review: id, choice: "reject", by: "ben" });
  expect(last).toMatchObject({ status: "decided", decision: { choice: "reject", by: "quorum" } });
  expect((await run.result()).return).toBe("given_up");
});

test("people are reminded, and the webhook is notified of it", async () => {
  const heard: ReviewNotification[] = [];
  const webhook = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    heard.push(JSON.parse(Buffer.concat(chunks).toString()) as ReviewNotification);
    response.end();
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  const tool = refund({ remind: "1s", assignees: ["anna"] });
  rig = await openRig({
    tools: [tool],
    script: [fenced(ASK)],
    notify: { webhook: { url: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}` } },
  });
  const run = await rig.client.startAgent({ agent: agent({ tools: [tool.spec] }), model: "scripted" });
  const isTold = (reminders: number) => heard.some(({ review }) => review.reminders === reminders);
  await until(async () => [0, 1, 2].every(isTold), "people are reminded");
  const { id } = await opened(run);
  await run.decide({ review: id, choice: "approve", by: "anna" });
  expect((await run.result()).return).toEqual({ order: 7, cents: 1000 });
  for (const { event, review } of heard)
    expect([event, review.assignees]).toEqual([review.reminders === 0 ? "review_opened" : "review_reminder", ["anna"]]);
  await new Promise((resolve) => webhook.close(resolve));
});

test("at the timeout the default decides", async () => {
  const run = await mission(refund({ timeout: "500ms", onTimeout: "approve", assignees: ["anna"] }));
  const step = await run.result();
  expect(step.return).toEqual({ order: 7, cents: 1000 });
  expect(step.tool_calls[0]?.approval).toMatchObject({ choice: "approve", by: "timer" });
});

test("an agent that another one runs asks in its own name", async () => {
  const tool = refund(true);
  rig = await openRig({
    tools: [tool],
    script: { lead: [fenced("(return (tool/clerk {}))")], clerk: [fenced(ASK)] },
  });
  const clerk = {
    name: "clerk",
    description: "Refunds",
    agent: { name: "clerk", prompt: "Refund.", tools: [tool.spec] },
  };
  const run = await rig.client.startAgent({ agent: agent({ name: "lead", tools: [clerk] }), model: "scripted" });
  const { workflow_id, review } = await until(async () => {
    const { open } = await rig.client.openReviews();
    return open.find((one) => one.workflow_id.startsWith(`${run.workflow.workflowId}/`));
  }, "the child's review is in the inbox");
  expect(workflow_id).toBe(`${run.workflow.workflowId}/clerk/1.1`);
  await rig.client.reviewed(workflow_id).decide({ review: review.id, choice: "approve", by: "anna" });
  expect((await run.result()).return).toEqual({ order: 7, cents: 1000 });
  const asked = { order: 7, cents: 1000 };
  expect(ran).toEqual([[asked, keyOf(run.workflow.workflowId, tool.spec, asked, { lane: "0.clerk.1" })]]);
});

test("a mission at its time limit no longer waits for people", async () => {
  const tool = refund(true);
  rig = await openRig({ tools: [tool], script: [fenced(ASK)] });
  const run = await rig.client.startAgent({
    agent: agent({ tools: [tool.spec], mission_timeout: 1500 }),
    model: "scripted",
  });
  const step = await run.result();
  expect(step.fail).toMatchObject({ reason: "mission_timeout" });
  expect(ran).toEqual([]);
});

test("a tool may answer later, from outside, by its token", async () => {
  let token = "";
  const order = defineTool({
    name: "order",
    completesLater: true,
    timeout: "1m",
    run: (_args, call: ToolContext) => {
      token = call.token;
      return LATER;
    },
  });
  rig = await openRig({
    tools: [order],
    script: ["(def a (tool/order {}))", "(return [a (tool/order {})])", "(return [a (:message data/fail)])"].map(
      fenced,
    ),
  });
  const run = await rig.client.startAgent({ agent: agent({ tools: [order.spec] }), model: "scripted" });
  const handed = async () => {
    const given = await until(async () => token || undefined, "the call is handed over");
    token = "";
    return given;
  };
  const first = await handed();
  await rig.stopWorker();
  await rig.client.completeTool(first, { parcel: 5 });
  await expect(rig.client.completeTool(first, 1)).rejects.toMatchObject({
    code: "already_over",
    details: { path: "token", kind: "call" },
  });
  await expect(rig.client.completeTool("nonsense", 1)).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "token" },
  });
  await rig.startWorker();
  await rig.client.failTool(await handed(), "sold out");
  expect((await run.result()).return).toEqual([{ parcel: 5 }, expect.stringContaining("sold out")]);
});

test("a tool's own number of attempts, and its rate limit", async () => {
  const busy = defineTool({
    name: "busy",
    effect: "read",
    retry: { attempts: 2, initial: "10ms" },
    run: (_args, call: ToolContext) => {
      ran.push(call.attempt);
      throw new ToolRetry("busy");
    },
  });
  const paced = defineTool({ name: "paced", effect: "read", rateLimit: { max: 2, per: "50ms" }, run: ({ n }) => n });
  rig = await openRig({
    tools: [busy, paced],
    script: ["(tool/busy {})", "(return [(pmap #(tool/paced {:n %}) (range 5)) (:message data/fail)])"].map(fenced),
  });
  const run = await rig.client.startAgent({ agent: agent({ tools: [busy.spec, paced.spec] }), model: "scripted" });
  const step = await run.result();
  expect(step.return).toEqual([[0, 1, 2, 3, 4], expect.stringContaining("busy")]);
  expect(ran).toEqual([1, 2]);
});

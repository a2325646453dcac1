import { createActivities } from "../../src/activities";
import { createNotifier } from "../../src/activities/notify/notifier";
import type { NavigatorActivities, SignedAnswer } from "../../src/core/calls/activities";
import { canonicalDigest, toolVersion } from "../../src/core/effects/effect-id";
import { decisionText } from "../../src/core/review/decision-text";
import type { DeliveryPlan } from "../../src/core/review/delivery";
import { createModels } from "../../src/models";
import { isSignatureOf } from "../../src/node/identity/detached-jws";
import { verifyHead } from "../../src/node/identity/ledger-signature";
import { signDecision } from "../../src/node/identity/sign-decision";
import { defineTool, ToolRegistry } from "../../src/tools";
import { openReceivers } from "../support/receivers";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { activityEnvironment } from "./environment";

/**
 * What a worker does for whoever can write to the namespace, and so can have any activity run with any input, from a
 * workflow of their own.
 */
const anna = newKey();
const worker = newKey();
const people = peopleOf({
  people: { anna: { keys: [publicKey(anna)], email: "anna@example.com" } },
  services: { worker: { keys: [publicKey(worker)], may: ["sign_ledger", "vouch"] } },
});
const hash = "h".repeat(43);
const end = { seq: 3, hash, at: 5 };
const { receiver, closeAll } = openReceivers();
afterEach(closeAll);

const paid = jest.fn(() => "paid");
const tools = new ToolRegistry([
  defineTool({ name: "pay", effect: "irreversible", approval: true, run: paid }),
  defineTool({ name: "page_somebody", run: () => "paged" }),
]);
beforeEach(() => paid.mockClear());

const activities = (more: Partial<Parameters<typeof createActivities>[0]> = {}) =>
  createActivities({
    models: createModels({ env: {} }),
    tools,
    client: {} as never,
    people: () => people,
    ledgerKey: worker,
    ...more,
  });
type Signed = Awaited<ReturnType<NavigatorActivities["signLedgerHead"]>>;
const mallory = () =>
  activityEnvironment({
    workflowExecution: { workflowId: "agent/mallory", runId: "00000000-0000-4000-8000-000000000000" },
  });

describe("the worker's key signs nothing but the end of the chain of the workflow that asks", () => {
  const said = {
    review: "agent/a/pay/1",
    seal: "s".repeat(43),
    choice: "approve",
    by: "anna",
    kind: "person" as const,
    via: "cli" as const,
    time: 1,
    nonce: "nonce-of-somebody",
  };

  test("no text of a decision", async () => {
    const asked = { ...said, ...end };
    const { signature } = (await mallory().run(activities().signLedgerHead, asked)) as Signed;
    expect(await isSignatureOf(signature ?? "", decisionText(said), publicKey(worker).public)).toBe(false);
    const own = { workflow_id: "agent/mallory", ...end, final: true };
    expect(await verifyHead(people, own, signature ?? "")).toEqual({ by: "worker" });
  });

  test.each<[string, object]>([
    ["a decision", said],
    ["a hash that is none", { ...end, hash: "x" }],
    ["a number that is none", { ...end, seq: 1.5 }],
  ])("%s is refused", async (_, asked) => {
    await expect(mallory().run(activities().signLedgerHead, asked as never)).rejects.toMatchObject({
      type: "invalid_input",
      nonRetryable: true,
    });
  });

  test("no head of another workflow, at the end or with a call", async () => {
    const victim = { workflow_id: "agent/victim", ...end, final: true };
    const { signature } = (await mallory().run(activities().signLedgerHead, victim)) as Signed;
    expect(await verifyHead(people, victim, signature ?? "")).toMatchObject({ problem: expect.any(String) });
    const call = { name: "page_somebody", args: {}, idempotency_key: "k", agent: null, task: null, turn: 1 };
    const answer = (await mallory().run(activities().callTool, { ...call, ledger_head: victim })) as SignedAnswer;
    const told = answer.ledger_signature ?? "";
    expect(await verifyHead(people, victim, told)).toMatchObject({ problem: expect.any(String) });
    const own = { workflow_id: "agent/mallory", ...end, final: false };
    expect(await verifyHead(people, own, told)).toEqual({ by: "worker" });
  });
});

describe("only what the worker itself would plan is delivered", () => {
  const notification = {
    event: "review_opened" as const,
    workflow_id: "agent/mallory",
    at: 1,
    review: {
      id: "agent/a/pay/1",
      title: "Pay?",
      kind: "approval" as const,
      choices: ["approve"],
      assignees: [],
      reminders: 0,
      body: "",
    },
  };
  const task = { event: "task_alert", workflow_id: "task/x", idempotency_key: "k", task: { cents: 5 } };

  test("no link of a person goes to another channel", async () => {
    const hook = await receiver();
    const notifier = createNotifier(
      { webhook: { url: hook.url }, page: { url: "http://127.0.0.1:1", key: worker } },
      () => people,
    );
    const { deliver, planDeliveries } = activities({ notifier });
    const plan = (await mallory().run(planDeliveries, notification)) as DeliveryPlan;
    const [planned] = plan.deliveries;
    const asked = { ...planned, to: "anna", person: true as const, notification };
    await expect(mallory().run(deliver, asked as never)).rejects.toMatchObject({ type: "delivery_refused" });
    expect(hook.got).toHaveLength(0);
    await mallory().run(deliver, { ...planned, notification } as never);
    expect(hook.got).toHaveLength(1);
  });

  test("no tool is called but the one that the settings name", async () => {
    const { deliver } = activities({ escalations: { alert: "page_somebody" } });
    const asked = (to: string) => mallory().run(deliver, { channel: "tool", to, notification: task } as never);
    await expect(asked("pay")).rejects.toMatchObject({ type: "delivery_refused" });
    expect(paid).not.toHaveBeenCalled();
    await expect(asked("page_somebody")).resolves.toBeUndefined();
  });
});

test.each<[string, string, string, string | null]>([
  ["the run that asked", "agent/a", "agent/a/pay/1", null],
  ["a workflow below the mission that asked", "agent/a/x", "agent/a/pay/1", "seal_broken"],
  ["a workflow whose id is the beginning of the review's", "agent/a/pay", "agent/a/pay/1", "seal_broken"],
  ["a retry of the mission whose effects it has", "agent/a-again-3", "agent/a-again-3/pay/1", null],
  ["a run below a retry", "agent/a-again-2/x/1.1", "agent/a-again-2/x/1.1/pay/1", null],
  ["a mission with a longer id", "agent/ab", "agent/ab/pay/1", "seal_broken"],
  ["a retry, for a review of the first try", "agent/a-again-2", "agent/a/pay/1", "seal_broken"],
  ["the run, for a review of another tool", "agent/a", "agent/a/refund/1", "seal_broken"],
])("an approval and a call of %s", async (_, workflowId, review, code) => {
  const spec = tools.get("pay")?.spec as NonNullable<ReturnType<typeof tools.get>>["spec"];
  const sealed = {
    tool_version: toolVersion(spec),
    ...{ mission: "agent/a", place: "1.1", generation: "k", valid_for_ms: 60_000 },
  };
  const nonce = "nonce-of-the-review";
  const seal = canonicalDigest({ review, nonce, tool: "pay", args: {}, ...sealed });
  const yes = await signDecision({ review, choice: "approve", by: "anna", seal }, anna);
  const approval = { review, seal, nonce, sealed, asked_args: {}, decisions: [{ ...yes, at: Date.now() }] };
  const call = { name: "pay", args: {}, idempotency_key: "k", agent: null, task: null, turn: 1, approval };
  const client = { workflow: { getHandle: () => ({ executeUpdate: async () => undefined }) } };
  const environment = activityEnvironment({
    workflowExecution: { workflowId, runId: "00000000-0000-4000-8000-000000000000" },
    scheduledTimestampMs: Date.now(),
    currentAttemptScheduledTimestampMs: Date.now(),
  });
  const answer = await environment.run(activities({ client: client as never }).callTool, call as never);
  expect(answer).toMatchObject(code === null ? { ok: true } : { ok: false, fail: { details: { code } } });
  expect(paid).toHaveBeenCalledTimes(code === null ? 1 : 0);
});

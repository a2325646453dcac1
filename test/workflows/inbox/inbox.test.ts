import type { NavigatorClient } from "../../../src/client/client";
import { findReview } from "../../../src/client/find-review";
import type { InboxListOptions } from "../../../src/client/inbox-page";
import { newTask } from "../../../src/core/graph/task/task";
import type { InboxItem } from "../../../src/core/review/inbox/inbox-item";
import { defineTool } from "../../../src/tools";
import { newNamespace } from "../../support/namespace";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** The inbox on a real server: what waits for a person is read without a worker (approvals reference, section 7). */

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :map",
  effect: "irreversible",
  approval: { assignees: ["anna", "group:finance"], quorum: 2, remind: "1h" },
  run: (args) => args,
});
const nowhere = defineTool({ name: "nowhere", signature: "(n :int) -> :int", run: () => 1 });

const SIGN_OFF = definitionOf({
  id: "sign-off",
  nodes: {
    start: { type: "start" },
    approval: {
      type: "gate",
      name: "Sign off",
      review: { assignees: ["lead:legal"], timeout_ms: 86_400_000, on_timeout: "failed" },
    },
    done: { type: "end", result: "success" },
    refused: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "approval" },
    { from: "approval", to: "done", on: "passed" },
    { from: "approval", to: "refused", on: "failed" },
  ],
});

let rig: Rig;
let client: NavigatorClient;
beforeAll(async () => {
  rig = await openRig({
    namespace: await newNamespace(),
    tools: [pay],
    blockedTimeoutMs: 3_600_000,
    script: {
      payer: [fenced("(return (tool/pay {:cents 500}))")],
      parker: [fenced('(return {:status :waiting :for "the tax office"})'), fenced("(return 1)")],
      asker: [
        fenced('(return (:choice (tool/ask-person {:question "Which shade of blue?" :choices ["light" "dark"]})))'),
      ],
      writer: [fenced(`(return (:choice (tool/ask-person {:question "Long?" :details "${"abc".repeat(9_000)}"})))`)],
      lacker: [fenced("(return (tool/nowhere {:n 1}))")],
    },
  });
  client = rig.client;
  await mission("payer", { tools: [pay.spec] });
  await mission("parker", {});
  await mission("asker", { builtin_tools: ["ask"] });
  await mission("writer", { builtin_tools: ["ask"] });
  await mission("lacker", { tools: [nowhere.spec] });
  const task = newTask({ id: "contract", issueId: "C-1", workflowType: "sign-off" }, SIGN_OFF, Date.now());
  await client.startTask({ task, definition: SIGN_OFF, model: "scripted" });
  await until(async () => (await client.inbox()).items.length === 6, "all that waits is listed");
  await rig.stopWorker();
});
afterAll(() => rig?.stop());

const mission = (name: string, raw: object) =>
  client.startAgent({ id: name, agent: agent({ name, max_turns: 3, ...raw }), model: "scripted" });

const named = (items: readonly InboxItem[]) => items.map(({ workflow_id }) => workflow_id).sort();

test("everything that waits is an item with its kind, without a worker", async () => {
  const { items, total, unanswered, next } = await client.inbox();
  expect({ total, unanswered, next }).toEqual({ total: 6, unanswered: [], next: undefined });
  const byId = Object.fromEntries(items.map((item) => [item.workflow_id, item]));
  expect(byId).toMatchObject({
    "agent/payer": {
      kind: "approval",
      title: "Call pay?",
      assignees: ["anna", "group:finance"],
      irreversible: true,
      due: expect.any(Number),
      review: {
        id: "agent/payer/pay/1",
        status: "open",
        quorum: 2,
        choices: ["approve", "reject"],
        data: { tool: "pay", args: { cents: 500 } },
        editable: { choice: "approve" },
      },
    },
    "agent/parker": {
      kind: "parked",
      title: "Waits for a decision in its journal (for: the tax office)",
      assignees: ["anyone"],
      parked: { waiting: { status: "waiting", for: "the tax office" }, until: null },
    },
    "agent/asker": { kind: "question", assignees: ["anyone"], review: { choices: ["light", "dark"] } },
    "agent/writer": { kind: "question", cut: true, review: { data: {}, title: expect.any(String) } },
    "agent/lacker": {
      kind: "blocked",
      title: "tool nowhere is on no worker",
      blocked: { kind: "tool", name: "nowhere", help: expect.stringContaining("navigator.config") },
    },
    "task/contract": { kind: "gate", mission: "task/contract", assignees: ["lead:legal"], due: expect.any(Number) },
  });
  expect(items.map(({ since }) => since)).toEqual(items.map(({ since }) => since).sort((a, b) => a - b));
});

test.each([1, 2, 4])("pages of %i have everything once, in the same order", async (size) => {
  const whole = (await client.inbox()).items.map(({ workflow_id }) => workflow_id);
  const paged: string[] = [];
  let page: string | undefined;
  do {
    const { items, next } = await client.inbox({ size, ...(page === undefined ? {} : { page }) });
    expect(items.length).toBeLessThanOrEqual(size);
    paged.push(...items.map(({ workflow_id }) => workflow_id));
    page = next;
  } while (page !== undefined);
  expect(paged).toEqual(whole);
});

test.each<{ only: InboxListOptions; are: string[]; total?: number | undefined }>([
  { only: { assignee: "anna" }, are: ["agent/payer"], total: 1 },
  { only: { assignee: ["nobody-at-all"] }, are: [], total: 0 },
  { only: { assignee: ["ben", "group:finance", "lead:legal"] }, are: ["agent/payer", "task/contract"], total: 2 },
  { only: { group: "legal" }, are: ["task/contract"], total: 1 },
  { only: { assignee: "anyone", kind: "question" }, are: ["agent/asker", "agent/writer"] },
  { only: { kind: "blocked" }, are: ["agent/lacker"] },
  { only: { text: "SHADE of blue" }, are: ["agent/asker"] },
  { only: { mission: "agent/parker" }, are: ["agent/parker"], total: 1 },
  { only: { older_than_ms: 86_400_000 }, are: [], total: 0 },
  { only: { older_than_ms: 0, due_within_ms: 7_200_000 }, are: ["agent/payer"], total: 1 },
  { only: { due_within_ms: 2 * 86_400_000 }, are: ["agent/payer", "task/contract"], total: 2 },
])("$only finds $are", async ({ only, are, total }) => {
  const page = await client.inbox(only);
  expect({ found: named(page.items), total: page.total }).toEqual({ found: are, total });
});

test("a page belongs to its filter, and must be one", async () => {
  const { next } = await client.inbox({ size: 1 });
  await expect(client.inbox({ page: next as string, kind: "gate" })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "page" },
  });
  await expect(client.inbox({ page: "no page" })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "page" },
  });
  await expect(client.inbox({ size: 0 })).rejects.toMatchObject({ code: "invalid_input", details: { path: "size" } });
  await expect(client.inbox({ kind: "gates" as never })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "kind" },
  });
});

test("one review is found without a worker, and what was cut says so", async () => {
  expect(await findReview(client, "agent/payer/pay/1")).toMatchObject({
    workflow_id: "agent/payer",
    review: { body: expect.stringContaining('"cents": 500') },
  });
  expect(await findReview(client, "agent/writer/ask-person/1")).toMatchObject({ cut: true });
  const { open } = await client.openReviews({ within: "agent/asker" });
  expect(open).toMatchObject([{ workflow_id: "agent/asker", review: { id: "agent/asker/ask-person/1" } }]);
});

describe("with a worker again", () => {
  beforeAll(() => rig.startWorker());

  test("what was cut is asked of it", async () => {
    const { review, cut } = await findReview(client, "agent/writer/ask-person/1");
    expect(cut).toBeUndefined();
    expect(JSON.stringify(review.data).length).toBeGreaterThan(20_000);
  });

  test("a first vote of two stands in the list, and what is decided leaves it without a trace", async () => {
    const handle = client.agent("payer");
    const said = { choice: "approve", by: "anna", note: "only a part" };
    await handle.decide({ review: "agent/payer/pay/1", ...said });
    const voted = await until(
      async () => (await client.inbox({ assignee: "anna" })).items.find(({ review }) => review?.votes?.length === 1),
      "the vote is listed",
    );
    expect(voted.review?.votes).toMatchObject([{ by: "anna", choice: "approve" }]);
    // Who decides next sees what was changed, and why: lists are not told of it.
    const found = await findReview(client, "agent/payer/pay/1");
    expect(found.review.votes).toMatchObject([said]);
    expect(found.bare_votes).toBeUndefined();
    await client.agent("parker").recordDecision({ id: "tax", value: true, by: "anna" });
    expect((await client.agent("parker").result()).return).toBe(1);
    const asker = client.agent("asker");
    await asker.decide({ review: "agent/asker/ask-person/1", choice: "dark", by: "anna" });
    expect((await asker.result()).return).toBe("dark");
    for (const id of ["agent/asker", "agent/parker"]) {
      const { memo, searchAttributes } = await client.temporal.workflow.getHandle(id).describe();
      expect(memo ?? {}).not.toHaveProperty("reviews");
      expect(memo ?? {}).not.toHaveProperty("parked");
      // The server gives an attribute that was taken away as null, which the SDK reads as the beginning of time.
      expect(searchAttributes.NavigatorAskedAt).toEqual([new Date(0)]);
      expect(searchAttributes.NavigatorAssignees).toEqual([null]);
    }
    await until(async () => (await client.inbox()).total === 4, "both have left the list");
  });
});

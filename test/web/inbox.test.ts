import { randomUUID } from "node:crypto";
import type { AgentHandle } from "../../src/client/handles";
import { newTask } from "../../src/core/graph/task/task";
import { makeLink } from "../../src/node/identity/one-use-link";
import { defineTool } from "../../src/tools";
import { agent } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";
import { definitionOf } from "../workflows/task/order-graph";

/**
 * The API of the inbox, with real people: each decision is signed by the service of the server for the person whose
 * token a request has. What is paid is counted by a shop that listens on loopback.
 */

interface Shop {
  url: string;
  refunds: { refund: string; order_id: number; cents: number }[];
  close(): void;
}

/** A service of the refund example: it counts what was paid, once for each key. */
const { startShop } = require("../../examples/refund/shop.cjs") as { startShop(): Promise<Shop> };

const serviceKey = newKey();

const people = peopleOf({
  people: { anna: {}, ben: {}, carl: {}, dora: {} },
  groups: { finance: { members: ["anna", "ben"], lead: "ben" } },
  services: { [WEB_SERVICE]: { keys: [publicKey(serviceKey)], may: ["vouch"] } },
});

/** A model may say anything. */
const SCRIPT = `<img src=x onerror="document.title='hacked'"> The lamp arrived broken, so all of it.`;

const REPLY = `${SCRIPT}

\`\`\`clojure
(println "order" data/order "cost" data/cents)
(def back
  (task (str "refund_" data/order)
    (tool/refund_card {:order data/order :cents data/cents :why "arrived <b>broken</b>"})))
(return back)
\`\`\``;

let shop: Shop;
let control: MissionControl;

beforeAll(async () => {
  shop = await startShop();
  const refund = defineTool({
    name: "refund_card",
    description: "Gives money back to the customer's card",
    signature: "(order :int, cents :int, why :string) -> {refund :string, cents :int}",
    effect: "irreversible",
    approval: { assignees: ["group:finance"], timeout: "2d", onTimeout: "reject", remind: "4h" },
    run: async ({ order, cents, why }, call) => {
      const response = await fetch(`${shop.url}/refunds`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": call.idempotencyKey },
        body: JSON.stringify({ order_id: order, cents, why }),
      });
      return response.json();
    },
  });
  control = await openMissionControl({
    people: () => people,
    serviceKey,
    tools: [refund],
    script: { clerk: [REPLY, '```clojure\n(return (or (:message data/fail) "given up"))\n```'] },
  });
});
afterAll(async () => {
  await control?.stop();
  shop?.close();
});

let orders = 0;

/** A mission that asks whether an order is refunded, and its review. */
async function asked(cents: number, options: { requested_by?: string } = {}) {
  orders += 1;
  const order = orders;
  const run = await control.client.startAgent({
    id: `refund-${order}-${randomUUID().slice(0, 8)}`,
    agent: agent({ name: "clerk", description: "Refunds orders", tools: [control.tools.specs()[0]], max_turns: 2 }),
    context: { order, cents },
    model: "scripted",
    ...options,
  });
  const { review } = await until(
    async () => (await control.client.inbox({ text: run.id })).items.find((item) => item.review !== undefined),
    `the review of ${run.id}`,
  );
  const { id, seal } = review as { id: string; seal: string };
  return { run, order, id, seal, path: `/api/inbox/${encodeURIComponent(id)}` };
}

const refundsOf = (order: number) =>
  shop.refunds.filter(({ order_id }) => order_id === order).map(({ cents }) => cents);

const ended = (run: AgentHandle) => run.result();

const body = (said: unknown, token: string) => ({
  method: "POST",
  body: JSON.stringify(said),
  token: control.person(token),
});

describe("the API", () => {
  test("a list is of what somebody may decide, of what is for their groups, or of all", async () => {
    const { id } = await asked(100);
    const listed = async (scope: string, name: string) => {
      const { items, nobody } = await control.get(`/api/inbox?scope=${scope}&text=${id}`, control.person(name));
      return items.length === 1 ? "listed" : (nobody ?? "not listed");
    };
    expect(await listed("mine", "anna")).toBe("listed");
    expect(await listed("groups", "ben")).toBe("listed");
    expect(await listed("mine", "carl")).toBe("not listed");
    expect(await listed("groups", "carl")).toContain("in no group");
    expect(await listed("all", "carl")).toBe("listed");
    const counts = await control.get("/api/inbox/counts", control.person("carl"));
    expect(counts).toMatchObject({ mine: 0, groups: 0 });
    expect(counts.all).toBeGreaterThan(0);
  });

  test("a card has the call, who may decide it, the program with its place, and what it is about", async () => {
    const { path, order, id, seal } = await asked(4990);
    const card = await control.get(path, control.person("anna"));
    expect(card).toMatchObject({
      review: {
        id,
        seal,
        kind: "approval",
        status: "open",
        data: { tool: "refund_card", args: { order, cents: 4990 } },
      },
      needed: 1,
      deciders: [{ word: "group:finance", people: ["anna", "ben"] }],
      you: { person: "anna", may: true },
      tool: { effect: "irreversible", can_be_undone: false, is_here: true, version_changed: false },
    });
    expect(card.due).toBeGreaterThan(Date.now());
    const reasons = await control.get(`${path}/reasons`, control.person("anna"));
    expect(reasons.asked).toMatchObject({
      agent: "clerk",
      turn: 1,
      context: { order },
      lines: [4],
      model: "scripted",
      said: SCRIPT,
    });
    expect(reasons.asked.program).toContain("(tool/refund_card");
  });

  test.each([
    ["the seal of another question", "anna", { seal: "x".repeat(43) }, 409, "seal_mismatch"],
    ["no seal", "anna", { seal: null }, 409, "seal_mismatch"],
    ["a choice that is none", "anna", { choice: "perhaps" }, 400, "invalid_decision"],
    ["arguments that do not fit", "anna", { value: { cents: "much" } }, 400, "invalid_decision"],
    ["somebody who is not asked", "carl", {}, 403, "not_an_assignee"],
    ["another one's name", "anna", { by: "ben" }, 403, "unverified_decision"],
  ])("a decision with %s is refused", async (_, name, wrong, status, code) => {
    const { path, seal, order } = await asked(200);
    const said = { choice: "approve", seal, ...wrong };
    expect(await control.refused(`${path}/decisions`, body(said, name))).toMatchObject({ status, code });
    expect((await control.get(path)).review.status).toBe("open");
    expect(refundsOf(order)).toEqual([]);
  });

  test("nobody decides without being one of the people, and the second decision hears of the first", async () => {
    const { run, path, seal, order } = await asked(300);
    const said = { choice: "approve", seal };
    const nobody = { method: "POST", body: JSON.stringify(said) };
    expect(await control.refused(`${path}/decisions`, nobody)).toMatchObject({ status: 403, code: "not_logged_in" });
    const card = await control.post(`${path}/decisions`, said, control.person("ben"));
    expect(card.review).toMatchObject({
      status: "decided",
      decision: { choice: "approve", by: "ben", via: "http", principal: { verified: true } },
    });
    expect(await control.refused(`${path}/decisions`, body({ ...said, choice: "reject" }, "anna"))).toMatchObject({
      status: 409,
      code: "already_decided",
      details: { choice: "approve", by: "ben" },
    });
    await ended(run);
    expect(refundsOf(order)).toEqual([300]);
  });

  test("a decision is handed over, commented and taken back", async () => {
    const { path, seal } = await asked(400);
    const anna = control.person("anna");
    expect(await control.refused(`${path}/delegate`, body({ to: "carlo", seal }, "anna"))).toMatchObject({
      status: 404,
      code: "not_found",
      details: { path: "carlo", kind: "person" },
    });
    await control.post(`${path}/comments`, { text: "Which customer?" }, control.person("dora"));
    const card = await control.post(`${path}/delegate`, { to: "carl", seal, note: "on holiday" }, anna);
    expect(card.you).toMatchObject({ person: "anna", may: false });
    expect(card.review.comments).toHaveLength(1);
    expect((await control.get(path, control.person("carl"))).you).toEqual({
      person: "carl",
      may: true,
      instead_of: "anna",
    });
    expect(await control.refused(`${path}/withdraw`, body({}, "anna"))).toMatchObject({
      status: 404,
      code: "not_found",
      details: { kind: "decision" },
    });
  });

  test("like cases are what was decided before, with the edits and the notes", async () => {
    const before = await asked(500);
    const said = { choice: "approve", seal: before.seal, value: { cents: 250 }, note: "half is fair" };
    await control.post(`${before.path}/decisions`, said, control.person("anna"));
    await ended(before.run);
    const { path } = await asked(510);
    const { cases, looked_at, more } = await until(async () => {
      const found = await control.get(`${path}/like-cases?size=20`, control.person("ben"));
      return found.cases.some(({ id }: { id: string }) => id === before.id) && found;
    }, "the case before");
    expect(looked_at).toBeGreaterThan(1);
    expect(more).toBe(false);
    expect(cases.find(({ id }: { id: string }) => id === before.id)).toMatchObject({
      tool: "refund_card",
      args: { cents: 500 },
      state: "decided",
      votes: [{ by: "anna", choice: "approve", value: { cents: 250 }, note: "half is fair" }],
    });
  });

  test("a gate of a graph is asked with its task, and like cases are those of the same node", async () => {
    const definition = definitionOf({
      id: "release",
      nodes: {
        start: { type: "start" },
        check: { type: "gate", name: "Release?", review: { assignees: ["anna"] } },
        sign: { type: "gate", name: "Sign it?" },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "check" },
        { from: "check", to: "sign", on: "passed" },
        { from: "check", to: "done", on: "failed" },
        { from: "sign", to: "done" },
      ],
    });
    const gateOf = async (id: string) => {
      const task = newTask({ id, issueId: "I-7", workflowType: "release" }, definition, Date.now());
      await control.client.startTask({ task, definition, model: "scripted" });
      const found = async () => (await control.client.inbox({ text: id })).items.find(({ review }) => review)?.review;
      const { id: review, seal } = await until(found, `the gate of ${id}`);
      return { path: `/api/inbox/${encodeURIComponent(review)}`, seal, review };
    };
    const before = await gateOf(`r-${randomUUID()}`);
    const said = { choice: "passed", seal: before.seal, note: "tests are green" };
    await control.post(`${before.path}/decisions`, said, control.person("anna"));
    const { path } = await gateOf(`r-${randomUUID()}`);
    const reasons = await control.get(`${path}/reasons`);
    expect(reasons).toMatchObject({ asked: null, task: { issue: "I-7", graph: "release" } });
    const cases = await until(async () => {
      const found = await control.get(`${path}/like-cases`);
      return found.cases.length > 0 && found.cases;
    }, "the gate before");
    expect(cases).toMatchObject([
      {
        id: before.review,
        kind: "gate",
        step: "check",
        votes: [{ by: "anna", choice: "passed", note: "tests are green" }],
      },
    ]);
  });

  test("equal calls are decided together, each with the seal that was seen", async () => {
    const [one, two] = [await asked(600), await asked(610)];
    const reviews = [
      { review: one.id, seal: one.seal },
      { review: two.id, seal: "y".repeat(43) },
    ];
    const { outcomes } = await control.post(
      "/api/inbox/decisions",
      { reviews, choice: "reject" },
      control.person("anna"),
    );
    expect(outcomes).toMatchObject([
      { review: one.id, ok: true, status: "decided" },
      { review: two.id, ok: false, code: "seal_mismatch" },
    ]);
    await ended(one.run);
    expect(refundsOf(one.order)).toEqual([]);
  });

  test("the link of a notification decides without a login, once, and for its person alone", async () => {
    const { run, id, seal, order } = await asked(700);
    const expires = Date.now() + 60_000;
    const token = await makeLink({ review: id, person: "anna", seal, expires, id: randomUUID() }, serviceKey);
    const stranger = (said: unknown) => ({ method: "POST", body: JSON.stringify(said), token: null });
    const shown = await control.fetch("/api/links/review", stranger({ review: id, token }));
    expect(await shown.json()).toMatchObject({ person: "anna", review: { id }, you: { may: true } });
    const shared = await makeLink({ review: id, person: null, seal, expires, id: randomUUID() }, serviceKey);
    const said = { review: id, choice: "approve" };
    expect(await control.refused("/api/links/decision", stranger({ ...said, token: shared }))).toMatchObject({
      code: "not_logged_in",
    });
    expect(await control.refused("/api/links/decision", stranger({ ...said, token: `${token}x` }))).toMatchObject({
      status: 403,
      code: "bad_link",
    });
    const decided = await control.fetch("/api/links/decision", stranger({ ...said, token }));
    expect(await decided.json()).toMatchObject({
      review: { status: "decided", decision: { by: "anna", via: "page", principal: { verified: true } } },
    });
    expect(await control.refused("/api/links/decision", stranger({ ...said, token }))).toMatchObject({ status: 409 });
    await ended(run);
    expect(refundsOf(order)).toEqual([700]);
  });
});

describe("a project without people", () => {
  let open: MissionControl;
  beforeAll(async () => {
    const ask = `(return (tool/ask-person {:question "Ship **now**?" :choices ["ship" "wait"] :details {:build 7}}))`;
    open = await openMissionControl({ script: { pilot: [`\`\`\`clojure\n${ask}\n\`\`\``] } });
  });
  afterAll(() => open?.stop());

  test("takes a typed name, answers a question, and lists all of it while no worker is up", async () => {
    const run = await open.client.startAgent({
      id: "ship",
      agent: agent({ name: "pilot", builtin_tools: ["ask"] }),
      model: "scripted",
    });
    const item = await until(async () => (await open.get("/api/inbox")).items[0], "the question");
    expect(item).toMatchObject({ kind: "question", assignees: ["anyone"] });
    const path = `/api/inbox/${encodeURIComponent(item.review.id)}`;
    await open.stopWorker();
    expect((await open.get("/api/inbox")).total).toBe(1);
    expect(await open.get("/api/inbox/counts")).toEqual({ all: 1, mine: null, groups: null });
    expect(await open.get("/api/inbox/counts?person=kim")).toEqual({ all: 1, mine: 1, groups: 0 });
    expect(await open.get(`${path}?person=kim`)).toMatchObject({ you: { person: "kim", may: true }, deciders: [] });
    expect((await open.get(`${path}/reasons`)).asked.program).toContain("ask-person");
    expect(await open.get(`${path}/like-cases`)).toMatchObject({ cases: [], looked_at: 1, more: false });
    const said = { choice: "ship", seal: item.review.seal };
    const nameless = { method: "POST", body: JSON.stringify(said) };
    expect(await open.refused(`${path}/decisions`, nameless)).toMatchObject({
      status: 400,
      code: "invalid_input",
      details: { path: "by" },
    });
    await open.startWorker();

    await open.post(`${path}/decisions`, { ...said, by: "kim" });
    expect((await run.result()).return).toMatchObject({ choice: "ship", by: "kim" });
  });

  test("a decision for a worker that comes later is sent as a signal", async () => {
    const run = await open.client.startAgent({
      id: "ship-later",
      agent: agent({ name: "pilot", builtin_tools: ["ask"] }),
      model: "scripted",
    });
    const [item] = await until(async () => {
      const { items } = await open.get("/api/inbox?text=ship-later");
      return items.length > 0 && items;
    }, "the question");
    await open.stopWorker();
    const said = { choice: "wait", seal: item.review.seal, by: "kim", as_signal: true };
    const sent = await open.post(`/api/inbox/${encodeURIComponent(item.review.id)}/decisions`, said);
    expect(sent).toMatchObject({ sent: true, review: { status: "open" } });
    await open.startWorker();
    expect((await run.result()).return).toMatchObject({ choice: "wait", by: "kim" });
  });
});

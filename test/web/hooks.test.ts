import { createHmac, randomUUID } from "node:crypto";
import { webhookSignature } from "../../src/activities/notify/webhook";
import { createModels } from "../../src/models";
import { HookSettings } from "../../src/project/hooks";
import { agent, fenced } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";
import { whereOf } from "../support/where-of";

/** Events of other systems, signed by them, wake missions (web reference, section 15). */

const SECRET = `whsec_${Buffer.from("a secret of the sender").toString("base64")}`;
const people = peopleOf({
  people: { ada: {} },
  services: { [WEB_SERVICE]: { keys: [publicKey(newKey())], may: ["vouch"] } },
});
const hook = (signed: "standard" | "github" | "stripe") => ({ signed, secret_env: "TEST_HOOK_SECRET" });
const byAddress = { address_unsigned: true } as const;

/** What the corrected `event` of the hook makes of its events. */
let crmRecord: string | undefined;
let control: MissionControl;
beforeAll(async () => {
  process.env.TEST_HOOK_SECRET = SECRET;
  control = await openMissionControl({
    name: "shop",
    page: false,
    people: () => people,
    project: {
      agents: { waiter: agent({ name: "waiter", prompt: "Wait." }) },
      hooks: {
        bank: { ...hook("standard"), ...byAddress },
        github: { ...hook("github"), ...byAddress },
        stripe: {
          ...hook("stripe"),
          event: (body) => {
            const { type, order } = body as { type: string; order: string };
            return type === "paid" ? { mission: order, record: "paid", value: { type } } : null;
          },
        },
        crm: {
          ...hook("standard"),
          event: (body) => {
            const { mission, record } = body as { mission: string; record: string };
            return { mission, record: crmRecord ?? record };
          },
        },
        unset: { ...hook("standard"), ...byAddress, secret_env: "TEST_HOOK_NOT_SET" },
      },
    },
    models: createModels({
      env: {},
      script: {
        waiter: [
          { if_contains: "[done] paid", content: fenced('(return {:status "done" :value (task "paid" nil)})') },
          ...Array.from({ length: 3 }, () => fenced('(return {:status "waiting" :for "a payment"})')),
        ],
      },
    }),
  });
});
afterAll(async () => {
  delete process.env.TEST_HOOK_SECRET;
  await control?.stop();
});

/** A mission that waits for its payment. */
async function waiting(): Promise<string> {
  const { id } = await control.post("/api/agents/waiter/runs", {}, control.person("ada"));
  await until(
    async () => (await control.get(`/api/runs/agent%2F${id}`, control.person("ada"))).state === "waiting",
    "it waits",
  );
  return id;
}

const hex = (text: string) => createHmac("sha256", SECRET).update(text).digest("hex");
const nowS = () => Math.floor(Date.now() / 1_000);

const headersOf = {
  standard: (id: string, text: string, at = nowS()) => ({
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `v1,AAAA ${webhookSignature(SECRET, id, String(at), text)}`,
  }),
  github: (id: string, text: string) => ({ "x-github-delivery": id, "x-hub-signature-256": `sha256=${hex(text)}` }),
  stripe: (_: string, text: string, at = nowS()) => ({
    "stripe-signature": `t=${at},v1=${hex(`${at}.${text}`)},v0=old`,
  }),
};

async function send(path: string, text: string, headers: Record<string, string>) {
  const response = await control.fetch(`/api/hooks/${path}`, { method: "POST", body: text, headers, token: null });
  const body = (await response.json()) as Record<string, unknown>;
  return response.ok ? body : [response.status, whereOf(body)];
}

const result = async (id: string) => {
  const { return: value, fail } = await control.client.agent(id).result();
  return fail ?? value;
};
const recordsOf = async (id: string) => (await control.client.agent(id).projection()).rows;

test("an event with a signature of Standard Webhooks wakes the mission that it names, once", async () => {
  const id = await waiting();
  const [event, text] = [randomUUID(), JSON.stringify({ cents: 700 })];
  const path = `bank?mission=${id}&record=paid`;
  const sent = () => send(path, text, headersOf.standard(event, text));
  expect(await sent()).toEqual({ taken: true, workflow_id: `shop:agent/${id}`, record: "paid" });
  expect(await result(id)).toMatchObject({ status: "done", value: { cents: 700 } });
  // Its sender has not heard the answer.
  expect(await sent()).toEqual({ taken: true, workflow_id: `shop:agent/${id}`, record: "paid" });
  const records = (await recordsOf(id)).filter((row) => row.id === "paid");
  expect(records).toMatchObject([{ by: "hook:bank" }]);
});

test("events of GitHub and Stripe are understood, and what the project does not want is taken and dropped", async () => {
  const [first, second] = [await waiting(), await waiting()];
  const pushed = JSON.stringify({ ref: "main" });
  const push = (text: string) =>
    send(`github?mission=${first}&record=paid`, text, headersOf.github(randomUUID(), text));
  expect(await push(pushed)).toMatchObject({ taken: true });
  expect(await result(first)).toMatchObject({ value: { ref: "main" } });
  // The id of the delivery is not signed: with another one it is the same event.
  expect(await push(pushed)).toMatchObject({ taken: true });
  expect(await push(JSON.stringify({ ref: "next" }))).toEqual([409, expect.stringMatching(/^already_exists record /)]);
  const paid = JSON.stringify({ id: "evt_1", type: "paid", order: second });
  expect(await send("stripe", paid, headersOf.stripe("", paid))).toMatchObject({ taken: true });
  expect(await result(second)).toMatchObject({ value: { type: "paid" } });
  expect(await send("stripe", paid, headersOf.stripe("", paid))).toMatchObject({ taken: true });
  // Another event of the same sender is not told that it is recorded.
  const late = JSON.stringify({ id: "evt_9", type: "paid", order: second });
  expect(await send("stripe", late, headersOf.stripe("", late))).toEqual([
    409,
    expect.stringMatching(/^already_exists record /),
  ]);
  const other = JSON.stringify({ id: "evt_2", type: "opened", order: second });
  expect(await send("stripe", other, headersOf.stripe("", other))).toEqual({ taken: false });
});

test("an event that the mission has, and of which event() now makes another record, is not said to be taken as that", async () => {
  const id = await waiting();
  const text = JSON.stringify({ mission: id, record: "payed" });
  const sent = () => send("crm", text, headersOf.standard("crm-1", text));
  expect(await sent()).toMatchObject({ taken: true, record: "payed" });
  crmRecord = "deposit";
  try {
    const problem = await control.refused("/api/hooks/crm", {
      ...{ method: "POST", body: text, headers: headersOf.standard("crm-1", text) },
    });
    expect(problem).toMatchObject({ status: 409, code: "already_exists", details: { taken_as: "payed" } });
    const others = JSON.stringify({ mission: id });
    expect(await send("crm", others, headersOf.standard("crm-2", others))).toMatchObject({ record: "deposit" });
  } finally {
    crmRecord = undefined;
  }
  expect(await sent()).toMatchObject({ taken: true, record: "payed" });
});

test("a body that nests too deep, half of a character, and a mistake of event() are told as what they are", async () => {
  const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  expect(await send("crm", deep, headersOf.standard("d", deep))).toEqual([400, "invalid_input body"]);
  const half = JSON.stringify({ mission: "a\ud800", record: "paid" });
  expect(await send("crm", half, headersOf.standard("h", half))).toEqual([400, "invalid_id"]);
  const logged: unknown[] = [];
  const add = (...line: unknown[]) => void logged.push(line);
  const spies = [
    jest.spyOn(control.context.log, "warn").mockImplementation(add),
    jest.spyOn(control.context.log, "error").mockImplementation(add),
  ];
  try {
    expect(await send("crm", "null", headersOf.standard("n", "null"))).toEqual([500, "hook_failed"]);
    expect(logged).toEqual([
      ["hook_event_threw", { hook: "crm", error: expect.stringMatching(/^TypeError: /) }],
      ["hook_refused", { hook: "crm", code: "hook_failed" }],
    ]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});

test("a webhook that is forged, old, nobody's, or for no mission wakes nothing", async () => {
  const id = await waiting();
  const text = JSON.stringify({ cents: 1 });
  const path = `bank?mission=${id}&record=paid`;
  const good = headersOf.standard("e1", text);
  expect(await send(path, JSON.stringify({ cents: 2 }), good)).toEqual([401, "unauthenticated"]);
  expect(await send(path, text, { ...good, "webhook-id": "e2" })).toEqual([401, "unauthenticated"]);
  expect(await send(path, text, headersOf.standard("e1", text, nowS() - 301))).toEqual([401, "unauthenticated"]);
  expect(await send(path, text, {})).toEqual([401, "unauthenticated"]);
  const unsigned = JSON.stringify({ id: "evt_3", type: "paid", order: id });
  expect(await send("stripe", unsigned, { "stripe-signature": `t=${nowS()}` })).toEqual([401, "unauthenticated"]);
  expect(await send("nobody", text, good)).toEqual([404, "not_found route nobody"]);
  expect(await send("unset", text, good)).toEqual([404, "not_found route unset"]);
  expect(await send("bank", text, good)).toEqual([400, "invalid_input event"]);
  expect(await send("bank?mission=none&record=paid", text, good)).toEqual([404, "not_found run shop:agent/none"]);
  expect(await send("bank?mission=other%3Aagent%2Fx&record=paid", text, good)).toEqual([
    404,
    "not_found run other:agent/x",
  ]);
  expect((await recordsOf(id)).filter((row) => row.id === "paid")).toEqual([]);
  // Another event for the same record is no repeat.
  await send(path, text, good);
  await result(id);
  const github = headersOf.github("g1", text);
  expect(await send(`github?mission=${id}&record=paid`, text, github)).toEqual([409, "already_exists record paid"]);
});

test("an event is taken only when the mission has it: without a worker its sender tries again, and nothing is lost or dropped", async () => {
  const id = await waiting();
  const events = [700, 999].map((cents) => ({ event: randomUUID(), text: JSON.stringify({ cents }) }));
  const deliver = ({ event, text }: { event: string; text: string }) =>
    control.fetch(`/api/hooks/bank?mission=${id}&record=paid`, {
      ...{ method: "POST", body: text, headers: headersOf.standard(event, text), token: null },
    });
  const logged: unknown[] = [];
  const warned = jest.spyOn(control.context.log, "warn").mockImplementation((...line) => void logged.push(line));
  try {
    await control.stopWorker();
    for (const event of events) {
      const answer = await deliver(event);
      expect([answer.status, Number(answer.headers.get("retry-after"))]).toEqual([503, 30]);
      expect(await answer.json()).toMatchObject({ code: "no_worker" });
    }
    await control.startWorker();
    const answers: number[] = [];
    for (const event of [...events, ...events]) answers.push((await deliver(event)).status);
    // An update that the server still held may have come first: exactly one of the two is recorded, and each sender is told.
    expect(answers.slice(0, 2).sort()).toEqual([200, 409]);
    expect(answers.slice(2)).toEqual(answers.slice(0, 2));
    const [first] = events.filter((_, at) => answers[at] === 200);
    expect(await result(id)).toMatchObject({ value: JSON.parse(first?.text ?? "") });
    const refused = { hook: "bank", code: "already_exists" };
    const silent = { hook: "bank", code: "no_worker" };
    expect(logged).toEqual([silent, silent, refused, refused].map((fields) => ["hook_refused", fields]));
  } finally {
    warned.mockRestore();
  }
});

test("a refused event leaves one line in the log, without what was sent", async () => {
  const logged: unknown[] = [];
  const warned = jest.spyOn(control.context.log, "warn").mockImplementation((...line) => void logged.push(line));
  const errors = jest.spyOn(control.context.log, "error").mockImplementation(() => {});
  try {
    const text = "no JSON";
    expect(await send("stripe", text, headersOf.stripe("", text))).toEqual([400, "invalid_input id"]);
    expect(await send("bank?mission=x&record=paid", text, {})).toEqual([401, "unauthenticated"]);
    expect(await send("constructor", text, {})).toEqual([404, "not_found route constructor"]);
    expect(logged).toEqual([
      ["hook_refused", { hook: "stripe", code: "invalid_input" }],
      ["hook_refused", { hook: "bank", code: "unauthenticated" }],
      ["hook_refused", { hook: "unknown", code: "not_found" }],
    ]);
    expect(errors).not.toHaveBeenCalled();
  } finally {
    warned.mockRestore();
    errors.mockRestore();
  }
});

test("a hook that takes the mission from the address says so", () => {
  const problemOf = (more: object) => HookSettings.safeParse({ bank: { ...hook("github"), ...more } }).error?.message;
  expect(problemOf({})).toMatch(/either event, or address_unsigned: true/);
  expect(problemOf({ ...byAddress, event: () => null })).toMatch(/either event, or address_unsigned: true/);
  expect([problemOf(byAddress), problemOf({ event: () => null })]).toEqual([undefined, undefined]);
});

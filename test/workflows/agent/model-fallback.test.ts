import { createModels } from "../../../src/models";
import { defineTool } from "../../../src/tools";
import { type Answer, Loopback } from "../../models/loopback";
import { type Told, wireOf } from "../../models/wire";
import { agent, openRig, type Rig } from "../../support/rig";

/** Two providers over HTTP, asked by a worker on a real server: the second is for when the first fails. */
const FIRST = wireOf("openai-compatible");
const SECOND = wireOf("anthropic");
const MODEL = [FIRST.model, SECOND.model];

const getOrder = defineTool({
  name: "get-order",
  signature: "(id :int) -> {total :int}",
  effect: "read",
  run: ({ id }) => ({ total: Number(id) * 100 }),
});

let first: Loopback;
let second: Loopback;
let rig: Rig;
let gone: string;

beforeAll(async () => {
  [first, second] = await Promise.all([new Loopback().start(), new Loopback().start()]);
  const closed = await new Loopback().start();
  gone = closed.url;
  await closed.close();
});
afterEach(() => rig.stop());
afterAll(async () => {
  await first.close();
  await second.close();
});

const open = async (env: NodeJS.ProcessEnv) => {
  rig = await openRig({ tools: [getOrder], models: createModels({ env: { ...SECOND.env(second.url), ...env } }) });
};

const clerk = (more: object = {}) =>
  agent({ name: "clerk", prompt: "How much is order 7?", output: "text", model: MODEL, ...more });

async function ask(more: object = {}) {
  const run = await rig.client.startAgent({ agent: clerk(more), context: {}, model: "scripted" });
  return run.result();
}

test.each([
  { it: "is not there", env: () => FIRST.env(gone), answer: "hang up", requests: 0, says: "ECONNREFUSED" },
  { it: "fails", answer: { status: 500, body: FIRST.error("out of order") }, requests: 2, says: "answered 500" },
  {
    it: "has too much to do for the next minute",
    answer: { status: 429, headers: { "retry-after": "60" }, body: FIRST.error("slow down") },
    requests: 1,
    says: "answered 429",
  },
  {
    it: "does not know the model",
    answer: { status: 404, body: FIRST.error("what?") },
    requests: 1,
    says: "answered 404",
  },
  { it: "hangs up", answer: "hang up in the body", requests: 2, says: "cannot reach" },
  { it: "has no address", env: () => ({}), answer: "hang up", requests: 0, says: "needs NAVIGATOR_BASE_URL" },
] as { it: string; env?: () => NodeJS.ProcessEnv; answer: Answer; requests: number; says: string }[])(
  "when the first $it, the second answers at once, and the record says so",
  async ({ env, answer, requests, says }) => {
    first.reset(answer);
    second.reset({ body: SECOND.reply({ text: "It is 7." }) });
    await open(env?.() ?? FIRST.env(first.url));
    const step = await ask();
    expect(step).toMatchObject({ return: "It is 7.", fail: null, turns: [{ model: "m-2025", tokens: { input: 15 } }] });
    expect(step.warnings).toMatchObject([{ code: "model_passed_over", message: expect.stringContaining(says) }]);
    expect(first.seen).toHaveLength(requests);
    expect(second.seen).toHaveLength(1);
  },
  // Less than the minute that one of them asks for.
  55_000,
);

test("a first model that recovers quickly answers itself", async () => {
  first.reset({ status: 503, body: FIRST.error("busy") }, { body: FIRST.reply({ text: "It is 7." }) });
  second.reset({ body: SECOND.reply({ text: "not asked" }) });
  await open(FIRST.env(first.url));
  const step = await ask();
  expect(step).toMatchObject({ return: "It is 7.", warnings: [] });
  expect(second.seen).toEqual([]);
});

test("a call requested by the first model is answered to the second, which continues with it", async () => {
  const calls = [
    { id: "call_1", name: "get_order", args: { id: 7 } },
    { id: "call_1", name: "get_order", args: { id: 8 } },
  ];
  first.reset({ body: FIRST.reply({ calls }) }, { status: 500, body: FIRST.error("out of order") });
  second.reset({ body: SECOND.reply({ text: "700 and 800." }) });
  await open(FIRST.env(first.url));
  const step = await ask({ tools: [getOrder.spec], max_turns: 3 });
  expect(step).toMatchObject({
    return: "700 and 800.",
    tool_calls: [{ result: { total: 700 } }, { result: { total: 800 } }],
    usage: { llm_requests: 2, total_cost: expect.any(Number) },
  });
  const told: Told[] = SECOND.told(second.seen[0]?.body);
  expect(told.slice(2)).toEqual([
    { call: "get_order", id: "call_1", args: { id: 7 } },
    { call: "get_order", id: "tc_2", args: { id: 8 } },
    { result: '{"total":700}', of: "call_1" },
    { result: '{"total":800}', of: "tc_2" },
  ]);
});

test("when both fail the run ends with the last one's failure, and the first one's in the details", async () => {
  first.reset({ status: 500, body: FIRST.error("out of order") });
  second.reset({ status: 401, body: SECOND.error("who are you?") });
  await open(FIRST.env(first.url));
  const step = await ask();
  expect(step.fail).toMatchObject({
    reason: "llm_error",
    message: expect.stringContaining("answered 401"),
    details: { class: "auth_error", passed_over: [{ model: FIRST.model, message: expect.stringContaining("500") }] },
  });
});

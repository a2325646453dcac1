import { z } from "zod";
import { LISP_LIMITS } from "../../src/core/base/limits";
import { createModels, type Model } from "../../src/models";
import { defineTool, ToolRegistry } from "../../src/tools";
import { runProgram } from "../../src/web/playground/run-program";
import { gate } from "../support/gate";
import { agent } from "../support/rig";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The playground: programs whose effects wait for a word, prompts counted by part, and chats that outlive the server. */

let control: MissionControl;

const answer = gate();

const charged: { amount: number; key: string }[] = [];

const TOOLS = [
  defineTool({
    name: "get_order",
    description: "The order",
    signature: "(order_id :int) -> {total :int}",
    effect: "read",
    run: async () => ({ total: 4990 }),
  }),
  defineTool({
    name: "charge_card",
    description: "Moves the money",
    input: z.object({ amount: z.int() }),
    output: z.object({ tx: z.string() }),
    run: async ({ amount }, call) => {
      charged.push({ amount, key: call.idempotencyKey });
      return { tx: `tx_${charged.length}` };
    },
  }),
  defineTool({
    name: "refund_card",
    signature: "(amount :int) -> {refund :string}",
    approval: { assignees: ["anna"] },
    run: async () => {
      throw new Error("It was called without approval.");
    },
  }),
];

const PROGRAM = `(def order (tool/get_order {:order_id 42}))
(println "total" (:total order))
(tool/charge_card {:amount (:total order)})`;

beforeAll(async () => {
  const script = {
    clerk: [{ content: "Hello, I am the clerk." }, { content: "You said it before." }],
  };
  const agents = {
    charge: agent({
      name: "charge",
      description: "Charges an order",
      prompt: "Charge order {{order_id}}.",
      signature: "(order_id :int) -> {tx :string}",
      tools: TOOLS.slice(0, 2).map(({ spec }) => spec),
    }),
    slow: agent({ name: "slow", prompt: "Help.", output: "text", model: "house/slow" }),
    clerk: agent({ name: "clerk", description: "Answers questions", prompt: "Help.", output: "text" }),
  };
  const slow: Model = {
    complete: async ({ model }, { onText }) => {
      onText?.("One moment");
      await answer.opened;
      onText?.(", here it is.");
      return { content: "One moment, here it is.", model };
    },
  };
  const models = createModels({ env: {}, script, models: { "house/slow": slow } });
  control = await openMissionControl({
    name: "shop",
    tools: TOOLS,
    models,
    project: { agents, models, tools: new ToolRegistry(TOOLS), sources: [] },
  });
});
afterAll(async () => {
  await control?.stop();
});

beforeEach(() => {
  charged.length = 0;
});

const run = (body: object) => control.post("/api/playground/program", { program: PROGRAM, ...body });

describe("programs over the API", () => {
  test("without a word of it, calls are answered with made-up values of their types", async () => {
    const { status, ok, calls, prints } = await run({});
    expect({ status, ok, prints }).toEqual({ status: "done", ok: { tx: "text" }, prints: ["total 1"] });
    expect(calls.map(({ tool, from }: { tool: string; from: string }) => [tool, from])).toEqual([
      ["get_order", "sample"],
      ["charge_card", "sample"],
    ]);
    expect(charged).toEqual([]);
  });

  test("answers of single calls and stubs of tools are used first", async () => {
    const { ok, calls } = await run({
      answers: [{ tool: "get_order", args: { order_id: 42 }, ok: { total: 7 } }],
      stubs: { charge_card: { kind: "error", message: "no money" } },
    });
    expect(ok).toBeUndefined();
    expect(calls[0]).toMatchObject({ from: "given", ok: { total: 7 } });
    expect(calls[1]).toMatchObject({ from: "stub", args: { amount: 7 }, fail: { message: "no money" } });
  });

  test("a call with effects is made only when exactly that call is confirmed, once", async () => {
    const first = await run({ real: true, run: "r1" });
    expect(first).toMatchObject({
      status: "needs_confirmation",
      would_run: [{ tool: "charge_card", args: { amount: 4990 }, effect: "write", why: "effect" }],
    });
    const other = await run({ real: true, confirmed_effects: [{ tool: "charge_card", args: { amount: 1 } }] });
    expect(other.status).toBe("needs_confirmation");
    expect(charged).toEqual([]);
    const confirmed = { real: true, run: "r1", confirmed_effects: [{ tool: "charge_card", args: { amount: 4990 } }] };
    expect(await run(confirmed)).toMatchObject({ status: "done", ok: { tx: "tx_1" } });
    const twice = await run({
      ...confirmed,
      program: "[(tool/charge_card {:amount 4990}) (tool/charge_card {:amount 4990})]",
    });
    expect(twice).toMatchObject({ status: "needs_confirmation", calls: [{ ok: { tx: "tx_2" } }] });
    // The service behind the tool sees the call that was sent again as the same one.
    expect(charged.map(({ key }) => key)).toEqual([charged[0]?.key, charged[0]?.key]);
  });

  test("a call that people must approve is never made here, whatever is confirmed", async () => {
    const program = "(tool/refund_card {:amount 5})";
    const confirmed_effects = [{ tool: "refund_card", args: { amount: 5 } }];
    expect(await run({ program, real: true, confirmed_effects })).toMatchObject({
      status: "needs_confirmation",
      would_run: [{ tool: "refund_card", why: "approval" }],
    });
  });

  test("only the user of this machine runs tools for real", async () => {
    const init = {
      method: "POST",
      body: JSON.stringify({ program: PROGRAM, real: true }),
      token: control.person("anna"),
    };
    expect(await control.refused("/api/playground/program", init)).toMatchObject({
      status: 403,
      code: "forbidden",
    });
  });

  test("a program within its limits that computes for long does not keep the server from other requests", async () => {
    const order: string[] = [];
    const busy = run({ program: "(reduce (fn [a x] (+ a (* x 2))) 0 (range 220000))" }).then((done) => {
      order.push("program");
      return done;
    });
    for (let i = 0; i < 3; i++) await control.fetch("/api/session").then(() => order.push("other"));
    expect(await busy).toMatchObject({ ok: 48_399_780_000 });
    expect(order[0]).toBe("other");
  });

  test("a program that exceeds its limits fails with the reason, and the next one runs", async () => {
    const endless = await run({ program: "(reduce + (map inc (range 3000000)))" });
    expect(endless.fail.reason).toMatch(/timeout|memory_exceeded/);
    expect(await run({ program: "(+ 1 2)" })).toMatchObject({ ok: 3 });
    expect(await run({ program: "(+ 1" })).toMatchObject({ fail: { reason: "parse_error", line: 1 } });
  });

  test("a tool that breaks down ends its program with the error", () =>
    expect(
      runProgram(
        { source: "(tool/x {})", data: {}, memory: {}, journal: null, tools: [{ name: "x" }], limits: LISP_LIMITS },
        () => Promise.reject(new Error("broken")),
      ),
    ).rejects.toThrow("broken"));
});

test("the tokens of a prompt's parts add up, and its parts are the whole prompt", async () => {
  const preview = await control.post("/api/playground/prompt", { agent: "charge", context: { order_id: 42 } });
  const { parts, tokens, system, user } = preview as {
    parts: { name: string; chars: number; tokens: number }[];
    tokens: number;
    system: string;
    user: string;
  };
  expect(parts.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "role",
      "language_reference",
      "output_format",
      "tools",
      "data",
      "expected_output",
      "mission",
    ]),
  );
  expect(parts.reduce((sum, { chars }) => sum + chars, 0)).toBe(system.length + user.length);
  expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(tokens);
  expect(await control.post("/api/playground/prompt", { agent: "charge", context: { order_id: "x" } })).toMatchObject({
    input_problems: [{ path: "order_id" }],
  });
});

test("a chat goes on after the server was restarted, and a message sent twice is one", async () => {
  const say = (body: object) => control.post("/api/chats/c1/messages", { agent: "clerk", ...body });
  const first = await say({ message: "Hello" });
  expect(await say({ message: "Hello" })).toEqual(first);
  const other = await control.refused("/api/chats/c1/messages", {
    method: "POST",
    body: JSON.stringify({ agent: "clerk", message: "Something else" }),
  });
  expect(other).toMatchObject({ status: 409, code: "id_in_use" });
  await control.client.agent("chat-c1-1").result();
  await control.stopWeb();
  await control.startWeb();
  // The connection that was kept open is gone.
  await control.fetch("/api/session").catch(() => null);
  await say({ message: "And again?", after: 1 });
  const { messages } = await control.client.agent("chat-c1-2").result();
  expect((messages ?? []).filter(({ role }) => role !== "system").map(({ content }) => content)).toEqual([
    "Hello",
    "Hello, I am the clerk.",
    "And again?",
    expect.any(String),
  ]);
  expect((await control.get("/api/chats/c1")).messages).toMatchObject([
    { number: 1, message: "Hello", state: "answered", answer: "Hello, I am the clerk." },
    { number: 2, message: "And again?", state: "answered" },
  ]);
});

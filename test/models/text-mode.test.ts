import type { Message } from "../../src/core/calls/host";
import { createModels, type ModelCall, type ModelError } from "../../src/models";
import { asked as aCall } from "./asked";
import { type Answer, Loopback } from "./loopback";
import { WIRES, wireOf } from "./wire";

/** Native tool calling and structured answers, over HTTP in each provider's own words. */
const GET_ORDER = {
  name: "get_order",
  description: "Looks up an order",
  parameters: {
    type: "object",
    properties: { id: { type: "integer" } },
    required: ["id"],
    additionalProperties: false,
  },
};
const FREE = {
  name: "free",
  description: "Anything goes",
  parameters: { type: "object", properties: {}, additionalProperties: true },
};
const CLOSED = {
  type: "object",
  properties: { total: { type: "number" } },
  required: ["total"],
  additionalProperties: false,
};

const asked = (more: Partial<ModelCall> = {}): ModelCall =>
  aCall({
    messages: [{ role: "user", content: "How much is order 7?" }],
    tool_names: ["get-order", "free"],
    ...more,
  });

let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const body = (i = 0) => loopback.seen[i]?.body;
const signal = new AbortController().signal;

describe.each(WIRES)("$model", (wire) => {
  const model = () => createModels({ env: wire.env(loopback.url) }).resolve(wire.model);
  const ask = (call: ModelCall, ...answers: Answer[]) => {
    loopback.reset(...answers);
    return model().complete(call, { signal });
  };
  const tools = [GET_ORDER, FREE];

  test("tools are described, and nothing is called twice", async () => {
    await ask(asked({ tools, max_output_tokens: 321 }), { body: wire.reply({ text: "Hm." }) });
    expect(loopback.seen).toHaveLength(1);
    expect(wire.tools(body())).toMatchObject([
      { name: "get_order", description: "Looks up an order", parameters: { properties: { id: { type: "integer" } } } },
      { name: "free", description: "Anything goes" },
    ]);
    expect(wire.maxTokens(body())).toBe(321);
  });

  test("calls are returned with their ids, in order, beside the text", async () => {
    const calls = [
      { id: "call_1", name: "get_order", args: { id: 7 } },
      { id: "call_2", name: "get_order", args: { id: 8 } },
      { id: "call_3", name: "nothing", args: {} },
    ];
    const reply = await ask(asked({ tools }), { body: wire.reply({ text: "Let me look.", calls }) });
    expect(reply).toMatchObject({ content: "Let me look.", tool_calls: calls, tokens: { output: 5, cache_read: 8 } });
  });

  test("calls without text are not an empty answer", async () => {
    const reply = await ask(asked({ tools }), { body: wire.reply({ calls: [{ id: "c", name: "free", args: {} }] }) });
    expect(reply).toMatchObject({ content: "", tool_calls: [{ id: "c", name: "free", args: {} }] });
  });

  test("calls and their results are sent back in pairs, and an invalid name as one that providers accept", async () => {
    const messages: Message[] = [
      { role: "user", content: "How much is order 7?" },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [
          { id: "call_1", name: "get_order", args: { id: 7 } },
          { id: "call_2", name: "not a name!", args: {}, args_error: "the arguments are no valid JSON" },
        ],
      },
      { role: "tool", content: '{"total":4990}', tool_call_id: "call_1", tool_name: "get_order" },
      { role: "tool", content: '{"error":"Unknown tool"}', tool_call_id: "call_2", tool_name: "not a name!" },
      // The reply was empty: no provider takes such a message.
      { role: "assistant", content: "" },
      { role: "user", content: "Your reply was empty." },
    ];
    await ask(asked({ tools, messages, turn: 3 }), { body: wire.reply({ text: "49.90" }) });
    const told = wire.told(body());
    expect(told).toMatchObject([
      { system: "You answer." },
      { user: "How much is order 7?" },
      { assistant: "Let me look." },
      { call: "get_order", id: "call_1", args: { id: 7 } },
      { call: "not_a_name_", id: "call_2", args: {} },
      { result: '{"total":4990}', of: "call_1" },
      { result: '{"error":"Unknown tool"}', of: "call_2" },
      { user: "Your reply was empty." },
    ]);
  });

  const malformed: { args: unknown; says: string }[] = wire.argumentsAreText
    ? [
        { args: '{"id": 7', says: "the arguments are no valid JSON (" },
        { args: "[7]", says: "the arguments must be a JSON object, not [7]" },
        { args: '"7"', says: "the arguments" },
        { args: "7", says: "the arguments must be a JSON object, not 7" },
      ]
    : [{ args: [7], says: "the arguments must be a JSON object, not [7]" }];
  test.each(malformed)(
    "arguments $args are reported as an error of the call, beside the other calls",
    async ({ args, says }) => {
      const calls = [
        { id: "call_1", name: "get_order", args },
        { id: "call_2", name: "get_order", args: { id: 8 } },
      ];
      const reply = await ask(asked({ tools }), { body: wire.reply({ calls }) });
      expect(reply.tool_calls).toEqual([
        { id: "call_1", name: "get_order", args: {}, args_error: expect.stringContaining(says) },
        { id: "call_2", name: "get_order", args: { id: 8 } },
      ]);
    },
  );

  test("calls with a shared id are numbered by the run", async () => {
    const calls = [
      { id: "same", name: "free", args: { a: 1 } },
      { id: "same", name: "free", args: { a: 2 } },
    ];
    const reply = await ask(asked({ tools }), { body: wire.reply({ calls }) });
    expect(reply.tool_calls).toEqual([calls[0], { name: "free", args: { a: 2 } }]);
  });

  test("a structured answer is requested by its schema, and arrives as text", async () => {
    const reply = await ask(asked({ schema: CLOSED }), { body: wire.reply({ text: '{"total": 49.9}' }) });
    expect(reply.content).toBe('{"total": 49.9}');
    expect(JSON.stringify(wire.schema(body()))).toContain('"total":{"type":"number"}');
    expect(wire.tools(body())).toBeUndefined();
  });

  test("the agent judges an answer that does not fit its schema", async () =>
    expect(await ask(asked({ schema: CLOSED }), { body: wire.reply({ text: "It is 49.90." }) })).toMatchObject({
      content: "It is 49.90.",
    }));

  test("a schema without an object at its root is not sent", async () => {
    await ask(asked({ schema: { type: "integer" } }), { body: wire.reply({ text: "5" }) });
    expect(wire.schema(body())).toBeUndefined();
  });

  test("a provider that refuses the schema is called without it, also for later calls", async () => {
    const refusal = { status: 400, body: wire.error("response_format is not supported") };
    const answers = [refusal, { body: wire.reply({ text: "{}" }) }];
    loopback.reset(...answers);
    const one = model();
    expect(await one.complete(asked({ schema: CLOSED }), { signal })).toMatchObject({ content: "{}" });
    expect(loopback.seen).toHaveLength(2);
    expect(wire.schema(body(1))).toBeUndefined();
    await one.complete(asked({ schema: CLOSED }), { signal });
    expect(loopback.seen).toHaveLength(3);
    expect(wire.schema(body(2))).toBeUndefined();
  });

  test.each([
    { status: 400, requests: 2, errorClass: "client_error" },
    { status: 429, requests: 1, errorClass: "rate_limit" },
    { status: 500, requests: 1, errorClass: "server_error" },
  ])("$status with a schema is told after $requests request(s)", async ({ status, requests, errorClass }) => {
    const error = await ask(asked({ schema: CLOSED }), { status, body: wire.error("no") }).catch((e: ModelError) => e);
    expect(error).toMatchObject({ errorClass });
    expect(loopback.seen).toHaveLength(requests);
  });

  test("a truncated answer is returned as far as it came; a truncated call says so", async () => {
    const cut = await ask(asked(), { body: wire.reply({ text: "It is", finish: wire.cutOff }) });
    expect(cut.content).toBe("It is");
    if (!wire.argumentsAreText) return;
    const calls = [{ id: "c", name: "get_order", args: '{"id":' }];
    const reply = await ask(asked({ tools }), { body: wire.reply({ calls, finish: wire.cutOff }) });
    expect(reply.tool_calls?.[0]?.args_error).toContain("cut off at its limit of tokens");
  });
});

describe("an answer that a provider's filter withholds is refused for good, so that another model is called", () => {
  test.each([
    { provider: "openai", finish: "content_filter" },
    { provider: "openai-compatible", finish: "content_filter" },
    { provider: "google", finish: "SAFETY" },
    { provider: "anthropic", finish: "refusal" },
  ])("$provider: $finish", async ({ provider, finish }) => {
    const wire = wireOf(provider);
    loopback.reset({ body: wire.reply({ finish }) });
    const error = await createModels({ env: wire.env(loopback.url) })
      .resolve(wire.model)
      .complete(asked(), { signal })
      .catch((e: ModelError) => e);
    expect(error).toMatchObject({ errorClass: "client_error", retryable: false });
    expect((error as ModelError).message).toContain("content filter");
  });
});

describe("OpenAI's strict schemas", () => {
  test.each([
    { it: "all fields are required", schema: CLOSED, strict: true },
    { it: "a field is optional", schema: { ...CLOSED, required: [] }, strict: false },
    {
      it: "a field is an open map",
      schema: { ...CLOSED, properties: { total: { type: "object" } } },
      strict: false,
    },
    {
      it: "an item of a list is an open map",
      schema: { ...CLOSED, properties: { total: { type: "array", items: { type: "object" } } } },
      strict: false,
    },
  ])("$it: strict $strict", async ({ schema, strict }) => {
    for (const provider of ["openai", "openai-compatible"]) {
      const wire = wireOf(provider);
      loopback.reset({ body: wire.reply({ text: "{}" }) });
      await createModels({ env: wire.env(loopback.url) })
        .resolve(wire.model)
        .complete(asked({ schema }), { signal });
      expect(wire.schema(body())).toMatchObject({ name: "answer", schema, strict });
    }
  });
});

test("Anthropic gets a schema with open maps as that of a tool, which may stay open; the answer is its arguments", async () => {
  const wire = wireOf("anthropic");
  loopback.reset({ body: wire.reply({ calls: [{ id: "t", name: "json", args: { total: { any: 1 } } }] }) });
  const schema = { ...CLOSED, properties: { total: { type: "object" } } };
  const reply = await createModels({ env: wire.env(loopback.url) })
    .resolve(wire.model)
    .complete(asked({ schema }), { signal });
  expect(wire.schema(body())).toBeUndefined();
  expect(wire.tools(body())).toMatchObject([{ name: "json", parameters: schema }]);
  expect(reply).toEqual({
    content: '{"total":{"any":1}}',
    model: "m-2025",
    tokens: expect.objectContaining({ output: 5 }),
  });
});

test("Google refuses an empty list of properties, so a tool without a signature has no parameters there", async () => {
  const wire = wireOf("google");
  loopback.reset({ body: wire.reply({ text: "." }) });
  await createModels({ env: wire.env(loopback.url) })
    .resolve(wire.model)
    .complete(asked({ tools: [FREE] }), { signal });
  expect(wire.tools(body())).toEqual([{ name: "free", description: "Anything goes" }]);
});

test("calls of a model without tools are ignored", async () => {
  const wire = wireOf("openai");
  loopback.reset({ body: wire.reply({ text: "(return 1)", calls: [{ id: "c", name: "free", args: {} }] }) });
  const reply = await createModels({ env: wire.env(loopback.url) })
    .resolve(wire.model)
    .complete(asked({ output: "ptc_lisp" }), { signal });
  expect(reply.tool_calls).toBeUndefined();
});

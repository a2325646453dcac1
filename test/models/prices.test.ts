import { costOf } from "../../src/core/agent/budget/price";
import { createModels, type Model, type ModelCall } from "../../src/models";
import { PRICES, PRICES_LOOKED_UP, PriceTable, priceOf } from "../../src/models/prices";
import { Loopback } from "./loopback";
import { wireOf } from "./wire";

const call: ModelCall = { model: "m", agent: null, turn: 1, call: 1, system: "", messages: [], tool_names: [] };
const signal = new AbortController().signal;

describe("the table", () => {
  test("has its date", () => expect(PRICES_LOOKED_UP).toMatch(/^\d{4}-\d{2}-\d{2}$/));

  test.each(Object.entries(PRICES))("%s is possible", (name, price) => {
    expect(PriceTable.safeParse({ [name]: price }).success).toBe(true);
    for (const rate of [price, ...(price.long ? [price.long] : [])]) {
      expect(rate.output).toBeGreaterThan(rate.input);
      expect(rate.cache_read).toBeLessThan(rate.input);
      expect(rate.cache_write ?? rate.input).toBeGreaterThanOrEqual(rate.input);
    }
    if (price.long) expect(price.long.input).toBeGreaterThan(price.input);
  });

  test.each([
    { name: "anthropic/claude-sonnet-4-5", input: 3 },
    { name: "anthropic/claude-sonnet-4-5-20250929", input: 3 },
    { name: "openai/gpt-5-2025-08-07", input: 1.25 },
    { name: "openai/gpt-5-mini", input: 0.25 },
    { name: "openai/gpt-5-turbo", input: undefined },
    { name: "openai-compatible/gpt-5", input: undefined },
    { name: "constructor", input: undefined },
  ])("$name: $input dollars", ({ name, input }) => expect(priceOf(name)?.input).toBe(input));

  test("a project's own price overrides the table, for a dated version too", () => {
    const own = { "openai/gpt-5": { input: 9, output: 10 } };
    expect(priceOf("openai/gpt-5", own)?.input).toBe(9);
    expect(priceOf("openai/gpt-5-2025-08-07", own)?.input).toBe(9);
    expect(priceOf("openai/gpt-5-mini", own)?.input).toBe(0.25);
  });
});

describe("the cost of a reply", () => {
  const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
  const long = { ...price, long: { over: 200_000, input: 6, output: 22.5 } };

  test.each([
    { tokens: { input: 1_000, output: 100 }, price, cost: 0.0045 },
    { tokens: { input: 1_000, output: 100, cache_read: 800, cache_creation: 100 }, price, cost: 0.002415 },
    { tokens: { input: 1_000 }, price, cost: 0.003 },
    { tokens: { output: 1 }, price, cost: 0.000015 },
    { tokens: {}, price, cost: undefined },
    { tokens: { cache_read: 5 }, price, cost: undefined },
    { tokens: { input: 1_000, cache_read: 1_000 }, price: { input: 3, output: 15 }, cost: 0.003 },
    { tokens: { input: 200_000, output: 1_000 }, price: long, cost: 0.615 },
    { tokens: { input: 200_001, output: 1_000 }, price: long, cost: 1.222506 },
  ])("$tokens cost $cost", ({ tokens, price: at, cost }) => expect(costOf(tokens, at)).toBe(cost));
});

describe("the source of a reply's cost", () => {
  const answering = (reply: object): Model => ({ complete: async () => ({ content: "x", ...reply }) as never });
  const cost = async (name: string, reply: object, prices?: PriceTable) => {
    const models = createModels({ env: {}, models: { [name]: answering(reply) }, ...(prices ? { prices } : {}) });
    return (await models.resolve(name).complete(call, { signal })).tokens?.total_cost;
  };
  const tokens = { input: 1_000_000, output: 0 };

  test.each([
    { it: "the table", name: "openai/gpt-4.1", reply: { tokens }, cost: 2 },
    { it: "the project", name: "acme/m", reply: { tokens }, prices: { "acme/m": { input: 7, output: 8 } }, cost: 7 },
    { it: "the provider", name: "openai/gpt-4.1", reply: { tokens: { ...tokens, total_cost: 0.5 } }, cost: 0.5 },
    { it: "the provider, for nothing", name: "openai/gpt-4.1", reply: { tokens: { total_cost: 0 } }, cost: 0 },
    { it: "the model that answered", name: "openai/newest", reply: { tokens, model: "gpt-4.1-2025-04-14" }, cost: 2 },
    { it: "nowhere: an unknown model", name: "acme/m", reply: { tokens }, cost: undefined },
    { it: "nowhere: no tokens", name: "openai/gpt-4.1", reply: {}, cost: undefined },
  ])("$it", async (row) => expect(await cost(row.name, row.reply, row.prices)).toBe(row.cost));

  test("a script's replies have the cost in the script, and the project's price of `scripted`", async () => {
    const ask = (options: object) =>
      createModels({ env: {}, script: [{ content: "x", tokens: { input: 1_000_000 } }], ...options })
        .resolve("scripted")
        .complete(call, { signal });
    expect((await ask({})).tokens).toEqual({ input: 1_000_000 });
    expect((await ask({ prices: { scripted: { input: 1, output: 1 } } })).tokens?.total_cost).toBe(1);
  });
});

describe("a gateway that reports the cost of a call", () => {
  let loopback: Loopback;
  beforeAll(async () => {
    loopback = await new Loopback().start();
  });
  afterAll(() => loopback.close());

  test.each([
    { it: "in usage.cost", cost: 0.00014, headers: {}, total_cost: 0.00014 },
    { it: "in parts", cost: { input_cost: 0.1, total_cost: 0.3 }, headers: {}, total_cost: 0.3 },
    { it: "in a header", cost: undefined, headers: { "x-litellm-response-cost": "2.5e-05" }, total_cost: 0.000025 },
    { it: "as nonsense", cost: "free", headers: { "x-litellm-response-cost": "None" }, total_cost: undefined },
    { it: "as less than nothing", cost: -1, headers: {}, total_cost: undefined },
  ] as { it: string; cost: unknown; headers: Record<string, string>; total_cost: number | undefined }[])(
    "$it: $total_cost",
    async ({ cost, headers, total_cost }) => {
      const wire = wireOf("openai-compatible");
      const reply = wire.reply({ text: "x" }) as { usage: object };
      loopback.reset({ body: { ...reply, usage: { ...reply.usage, cost } }, headers });
      const models = createModels({ env: wire.env(loopback.url) });
      expect((await models.resolve(wire.model).complete(call, { signal })).tokens?.total_cost).toBe(total_cost);
    },
  );
});

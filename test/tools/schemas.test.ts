import { dynamicTool, jsonSchema, tool } from "ai";
import { z } from "zod";
import { defineAgent, defineTool, ToolRegistry } from "../../src";
import type { Schema } from "../../src/core/signature/json-schema/schema-reader";
import { program, runInMemory } from "../../src/testing";
import { jsonSchemaCheck } from "../../src/tools/schema/json-schema-check";
import { toolCall } from "./tool-call";

/** Tools by JSON Schema and tools of the AI SDK. What the compiler refuses is marked. */

const order = {
  type: "object",
  properties: {
    order_id: { $ref: "#/$defs/id" },
    currency: { enum: ["eur", "usd"], default: "eur" },
    lines: {
      type: "array",
      items: { type: "object", properties: { sku: { type: "string", pattern: "^[A-Z]+$" } }, required: ["sku"] },
    },
    "ship.to": { type: "string", format: "email" },
  },
  required: ["order_id"],
  additionalProperties: false,
  not: { required: ["lines", "ship.to"] },
  $defs: { id: { type: "integer", minimum: 1 } },
} as const;

const refund = defineTool({
  name: "refund",
  input: order,
  output: { type: "object", properties: { cents: { type: "integer", maximum: 100 } }, required: ["cents"] },
  run: async ({ currency, lines, ...rest }) => {
    const money: "eur" | "usd" = currency;
    const sku: string | undefined = lines?.[0]?.sku;
    // @ts-expect-error there is no such argument
    rest.amount;
    return { cents: sku === "TOO" ? 101 : money.length };
  },
});

describe("a tool with JSON Schemas", () => {
  test("shows them as a signature, fills in defaults, and gives arguments their own names", async () => {
    expect(refund.spec.signature).toBe(
      "(order_id :int, currency :string?, lines :any?, ship_to :string?) -> {cents :int}",
    );
    const seen: unknown[] = [];
    const look = defineTool({ name: "look", input: order, run: (args) => void seen.push(args) });
    await look.run({ order_id: 1, ship_to: "a@b.example", lines: null }, toolCall());
    expect(seen).toEqual([{ order_id: 1, currency: "eur", "ship.to": "a@b.example" }]);
  });

  test.each([true, false])("checks multiples as decimal numbers (own: %p)", (own) => {
    const check = jsonSchemaCheck({ type: "number", multipleOf: 0.01 } as Schema, { own });
    const fit = [19.99, 0.07, 0.29, 4.35, -1.1, 0, 5, 19_999_999.99, 123_456_789_012.34, 1e21];
    const unfit = [1.005, 0.001, 1e-7, 5.000_000_000_01];
    expect([...fit, ...unfit].filter((value) => check(value).ok)).toEqual(fit);
    expect(check(1.005)).toEqual({ ok: false, issues: [{ path: "", message: "must be multiple of 0.01" }] });
    expect(jsonSchemaCheck({ multipleOf: 2.5e-7 } as Schema, { own })(1e-6).ok).toBe(true);
  });

  test.each<[string, object, object]>([
    ["a number by $ref", { order_id: 0 }, { path: "order_id", message: "must be >= 1" }],
    ["a choice", { order_id: 1, currency: "gbp" }, { path: "currency", message: 'must be one of ["eur","usd"]' }],
    ["a pattern deep inside", { order_id: 1, lines: [{ sku: "a" }] }, { path: "lines.0.sku" }],
    ["a missing field", { order_id: 1, lines: [{}] }, { path: "lines.0.sku", message: "is missing" }],
    ["a format", { order_id: 1, ship_to: "nobody" }, { path: "ship.to" }],
    ["not", { order_id: 1, ship_to: "a@b.example", lines: [] }, { path: "" }],
  ])("refuses %s that does not fit, with its place", async (_what, args, issue) => {
    await expect(refund.run(args as never, toolCall())).rejects.toMatchObject({
      details: { code: "invalid_tool_args", issues: [expect.objectContaining(issue)] },
    });
  });

  test("checks its result", async () => {
    await expect(refund.run({ order_id: 1, lines: [{ sku: "TOO" }] }, toolCall())).rejects.toMatchObject({
      message: "invalid results: cents: must be <= 100",
      details: { code: "invalid_result" },
    });
    expect(await refund.run({ order_id: 1 }, toolCall())).toEqual({ cents: 3 });
    // @ts-expect-error the result does not fit the schema
    defineTool({ name: "a", output: { type: "string" }, run: () => 1 });
  });

  test.each<[string, unknown, RegExp]>([
    ["a list as input", { type: "array" }, /`input` must be the schema of an object, got type "array"/],
    ["a type that there is not", { type: "object", properties: { a: { type: "int" } } }, /no JSON Schema .*type/],
    ["a reference into nothing", { type: "object", properties: { a: { $ref: "#/$defs/b" } } }, /b/],
    ["a reference to elsewhere", { $ref: "https://example.com/a.json" }, /example\.com/],
    ["a bad pattern", { type: "object", properties: { a: { type: "string", pattern: "(" } } }, /pattern|regular/i],
    ["a text", "object", /`input` must be a schema of zod 4, a JSON Schema/],
    ["a schema of zod 3", { _def: {} }, /zod 3/],
    ["a schema of another library", { "~standard": {} }, /another library/],
    ["a schema that comes later", jsonSchema(Promise.resolve({})), /gives its JSON Schema later/],
  ])("is refused for %s", (_what, input, says) => {
    expect(() => defineTool({ name: "a", input: input as never, run: () => null })).toThrow(
      expect.objectContaining({ code: "invalid_tool", message: expect.stringMatching(says) }),
    );
  });
});

const weather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string().min(2) }),
  outputSchema: z.object({ degrees: z.int() }),
  execute: async ({ city }, { toolCallId, abortSignal }) => ({
    degrees: city.length + toolCallId.length + (abortSignal?.aborted ? 100 : 0),
  }),
});

const pay = tool({
  inputSchema: jsonSchema<{ cents: number }>({ type: "object", properties: { cents: { type: "integer" } } }),
  needsApproval: ({ cents }) => cents > 100,
  async *execute({ cents }) {
    yield { state: "sent" };
    yield { state: "paid", cents };
  },
});

describe("a tool of the AI SDK", () => {
  test("is taken as it is, under a name: its schemas, its approval, the key of the call as its id", async () => {
    const [one, other] = [defineTool("weather", weather, { effect: "read", timeout: "5s" }), defineTool("pay", pay)];
    expect([one.spec, other.spec]).toEqual([
      {
        name: "weather",
        effect: "read",
        description: "The weather of a city",
        signature: "(city :string) -> {degrees :int}",
        timeout_ms: 5_000,
      },
      { name: "pay", effect: "irreversible", approval: true, signature: "(cents :int?) -> :any" },
    ]);
    expect(await one.run({ city: "Ulm" }, toolCall({ idempotencyKey: "key" }))).toEqual({ degrees: 6 });
    await expect(one.run({ city: "U" }, toolCall())).rejects.toMatchObject({ details: { code: "invalid_tool_args" } });
    let beats = 0;
    expect(await other.run({ cents: 5 }, toolCall({ heartbeat: () => void beats++ }))).toEqual({
      state: "paid",
      cents: 5,
    });
    expect(beats).toBe(2);
    await expect(other.run({ cents: "5" }, toolCall())).rejects.toMatchObject({
      message: expect.stringMatching(/cents: expected int/),
    });
  });

  test("keeps its effect and its approval where settings say nothing of them", () => {
    const unsaid = { effect: undefined, approval: undefined };
    const tools = [
      defineTool("pay", pay, unsaid),
      defineTool("pay", { ...pay, providerOptions: { navigator: unsaid as never } }),
    ];
    for (const { spec } of tools) expect(spec).toMatchObject({ effect: "irreversible", approval: true });
  });

  test("says its effect itself, or as a setting", () => {
    const read = tool({ ...weather, providerOptions: { navigator: { effect: "read", cache: true } } });
    expect(new ToolRegistry({ read }).specs()).toMatchObject([{ name: "read", effect: "read", cache: true }]);
    expect(defineTool("read", read, { effect: "write" }).spec.effect).toBe("write");
    const undone = defineTool("pay", pay, { effect: "write", approval: false, undo: ({ cents }) => cents });
    expect(undone.spec).toMatchObject({ undo: true, effect: "write" });
    expect(undone.spec).not.toHaveProperty("approval");
    // @ts-expect-error there is no such argument
    expect(() => defineTool("pay", pay, { identity: ["dollars"] })).toThrow("dollars");
  });

  test("stands in a map wherever tools stand", async () => {
    const registry = new ToolRegistry([refund, { weather, pay }]);
    expect(registry.names()).toEqual(["refund", "weather", "pay"]);
    const clerk = defineAgent({ prompt: "Look.", tools: { weather, refund } });
    expect(clerk.tools.map((one) => (typeof one === "string" ? one : one.name))).toEqual(["weather", "refund"]);
    expect(defineAgent({ prompt: "Look.", tools: [{ weather }, refund] }).tools).toEqual(clerk.tools);
    const run = await runInMemory(clerk, {
      script: [program('(return (:degrees (tool/weather {:city "Ulm"})))')],
      tools: { weather, refund },
    });
    expect(run.step.return).toBeGreaterThan(3);
    expect(run.effects).toMatchObject([{ tool: "weather" }]);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      "without execute",
      () => defineTool("a", tool({ inputSchema: z.object({}), outputSchema: z.any() })),
      /no `execute`/,
    ],
    [
      "without a name",
      () => new ToolRegistry([weather as never]),
      /This is a tool\(\) of the AI SDK: write \{ name: tool \}/,
    ],
    ["that is none", () => defineTool("a", {} as never), /tool\(\) of the AI SDK/],
    [
      "with an unknown setting",
      () => new ToolRegistry({ a: tool({ ...weather, providerOptions: { navigator: { efect: "read" } } }) }),
      /unknown option "efect"; did you mean effect/,
    ],
    [
      "that wants approval and no approval",
      () => defineTool("a", { ...pay, providerOptions: { navigator: { approval: false } } }),
      /sets `needsApproval`, and `approval: false` in `providerOptions.navigator`/,
    ],
    [
      "under another name than its own",
      () => defineAgent({ prompt: "x", tools: { other: refund } }),
      /tools\.other: the tool is called "refund"/,
    ],
  ])("is refused %s", (_what, make, says) => {
    expect(make).toThrow(expect.objectContaining({ message: expect.stringMatching(says) }));
  });

  test("may be dynamic", async () => {
    const any = dynamicTool({ inputSchema: z.object({ a: z.int() }), execute: async (input) => input });
    expect(await defineTool("any", any).run({ a: 1 }, toolCall())).toEqual({ a: 1 });
  });
});

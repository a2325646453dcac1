import { jsonSchema, tool } from "ai";
import { z } from "zod";
import { defineAgent, defineTool } from "../../src";
import { droppedFields } from "../../src/core/effects/declared-input";
import { identityArguments } from "../../src/core/effects/effect-id";
import { crashWorker, EffectGuards, program, runInMemory } from "../../src/testing";

/** A charge is made once, whatever a model writes besides what the tool is given (effects reference, section 1). */

type Args = { [name: string]: unknown };
const call = (...args: Args[]) => ({ tool_calls: args.map((one) => ({ name: "pay", args: one as never })) });
const lost = { faults: [crashWorker({ after: { tool: "pay" } })] };

function payTool(settings: object = {}, input: z.ZodType = z.object({ amount: z.number() })) {
  const made: unknown[] = [];
  const run = (args: unknown) => ({ tx: made.push(args) });
  const pay = defineTool({ name: "pay", effect: "irreversible", input: input as z.ZodObject, run, ...settings });
  return { pay, made };
}

const agentWith = (pay: ReturnType<typeof payTool>["pay"], output?: "text") =>
  defineAgent({ name: "payer", prompt: "Pay.", tools: [pay], ...(output && { output }) });

const refusal = (field: string, names: string) => `invalid arguments: ${field}: the tool does not take it; ${names}`;

describe("an argument that the tool never sees", () => {
  test("makes no second charge: not after a lost answer, not in one reply, and nobody is asked to approve it", async () => {
    for (const settings of [{}, { approval: true }]) {
      const { pay, made } = payTool(settings);
      const reviews = settings.approval ? [{ choice: "approve", by: "ada" }] : [];
      const script = [call({ amount: 5 }, { amount: 5, note: "x" }), call({ amount: 5, reason: "retry" }), "done"];
      const ended = await runInMemory(agentWith(pay, "text"), { tools: [pay], script, reviews, ...lost });
      expect(made).toEqual([{ amount: 5 }]);
      expect(ended.reviews.filter(({ title }) => title === "Call pay?")).toHaveLength(reviews.length);
    }
  });

  test("is refused by its name, and the model is told what there is", async () => {
    const { pay, made } = payTool();
    const script = [call({ amount: 5, reason: "retry" }), "done"];
    const ended = await runInMemory(agentWith(pay, "text"), { tools: [pay], script });
    expect(made).toEqual([]);
    expect(ended.ledger).toEqual([]);
    expect(JSON.stringify(ended.messages)).toContain(refusal("reason", "there are amount"));
  });

  test("makes none in a later program, and none in another mission", async () => {
    const { pay, made } = payTool({ identityScope: "namespace" });
    const script = [
      program("(do (tool/pay {:amount 5}) (fail-now))"),
      program('(do (tool/pay {:amount 5 :reason "again"}) (return 1))'),
      program("(return 2)"),
    ];
    const guards = new EffectGuards();
    const first = await runInMemory(agentWith(pay), { id: "m1", guards, tools: [pay], script: script.slice(1) });
    expect(first.step.return).toBe(2);
    const again = [program("(do (tool/pay {:amount 5}) (return 3))")];
    await runInMemory(agentWith(pay), { id: "m2", guards, tools: [pay], script: again });
    await runInMemory(agentWith(pay), { id: "m3", guards, tools: [pay], script: script.slice(1) });
    expect(made).toEqual([{ amount: 5 }]);
  });

  test("is refused deep inside, is free for a read, and counts where the tool is given it", async () => {
    const deep = z.object({ lines: z.array(z.object({ sku: z.string() })), by: z.looseObject({ id: z.int() }) });
    const { pay, made } = payTool({}, deep);
    const good = { lines: [{ sku: "A" }], by: { id: 1, name: "Ada" } };
    const script = [call({ ...good, lines: [{ sku: "A", why: "x" }] }), call(good), "done"];
    const ended = await runInMemory(agentWith(pay, "text"), { tools: [pay], script });
    expect(JSON.stringify(ended.messages)).toContain(refusal("lines[0].why", "there are sku"));
    expect(made).toEqual([good]);
    expect(payTool({ effect: "read" }).pay.spec.takes).toBeUndefined();
    for (const open of [z.looseObject({ a: z.int() }), z.object({ a: z.int() }).catchall(z.string()), z.json()])
      expect(payTool({}, open).pay.spec.takes).toBeUndefined();
  });
});

describe("a default that is spelled out", () => {
  test.each([
    ["zod", { inputSchema: z.object({ amount: z.number(), currency: z.string().default("eur") }) }],
    [
      "JSON Schema",
      {
        inputSchema: jsonSchema({
          type: "object",
          properties: { amount: { type: "number" }, currency: { type: "string", default: "eur" } },
        }),
      },
    ],
  ])("is the same charge: %s", async (_what, { inputSchema }) => {
    const made: unknown[] = [];
    const execute = async (args: unknown) => ({ tx: made.push(args) });
    const pay = defineTool("pay", tool({ inputSchema: inputSchema as z.ZodObject, execute }));
    const reviews = [{ choice: "it_happened", by: "ada", value: { tx: 1 } }];
    const script = [
      call({ amount: 5 }),
      call({ amount: 5, currency: "eur" }),
      call({ amount: 5, currency: "usd" }),
      "done",
    ];
    const ended = await runInMemory(agentWith(pay, "text"), { tools: [pay], script, reviews, ...lost });
    expect(made).toEqual([
      { amount: 5, currency: "eur" },
      { amount: 5, currency: "usd" },
    ]);
    expect(ended.ledger).toHaveLength(2);
  });

  const made = (input: z.ZodType, args: Args) => identityArguments(payTool({}, input).pay.spec, args as never);

  test("counts as left out wherever it stands, and through what wraps it", () => {
    const inner = z.object({ fast: z.boolean().default(false), to: z.string() });
    const wrapped = z.object({ at: inner.optional(), all: z.array(inner), how: inner.prefault({ to: "x" }) });
    const given = { at: { fast: false, to: "a" }, all: [{ fast: true, to: "b" }], how: { fast: false, to: "x" } };
    expect(made(wrapped, given)).toEqual({ at: { to: "a" }, all: [{ fast: true, to: "b" }] });
    const currency = z.string().default("eur").optional();
    expect(
      made(
        z.object({ currency }).transform((all) => all),
        { currency: "eur" },
      ),
    ).toEqual({});
  });

  test("is another value where the schema would change it: there it counts", () => {
    const upper = z.object({
      a: z.string().toLowerCase().default("EUR"),
      b: z
        .number()
        .transform((n) => n * 100)
        .default(5),
    });
    expect(made(upper, { a: "EUR", b: 5 })).toEqual({ a: "EUR", b: 5 });
  });

  test("counts where null may stand for something else, and where leaving it out gives the tool less", () => {
    const input = z.object({
      note: z.string().nullable().default("x"),
      memo: z.string().default("x").nullable(),
      any: z.any().prefault("x"),
      how: z.object({ fast: z.boolean().default(false) }).default({} as never),
    });
    const given = { note: "x", memo: "x", any: "x", how: { fast: true } };
    expect(made(input, given)).toEqual(given);
  });

  test("and a field that two schemas name together is taken, in any spelling of its name", async () => {
    const both = z
      .object({ to: z.object({ name: z.string() }) })
      .and(z.object({ to: z.object({ street: z.string() }) }));
    const spelled = z.object({ "x-note": z.string().optional() });
    const takes = (input: z.ZodType) => payTool({}, input).pay.spec.takes;
    expect(droppedFields(takes(both), { to: { name: "Ada", street: "Main" } })).toEqual([]);
    expect(droppedFields(takes(both), { for: "x" })).toMatchObject([{ path: "for" }]);
    expect(droppedFields(takes(spelled), { x_note: "a" })).toEqual([]);
  });
});

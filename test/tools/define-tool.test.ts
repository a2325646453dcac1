import { z } from "zod";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { absent, defineTool, found, type UndoContext, unknown } from "../../src/tools";
import { toolCall } from "./tool-call";

const run = () => null;

describe("the spec of a tool", () => {
  test("a tool with only a name writes", () =>
    expect(defineTool({ name: "touch", run }).spec).toEqual({ name: "touch", effect: "write" }));

  test("its spec contains everything that an agent may need", () =>
    expect(
      defineTool({
        name: "look",
        description: "Looks",
        signature: "(id :int) -> {name :string}",
        effect: "read",
        cache: true,
        timeout: "1.5s",
        task_queue: "eyes",
        run,
      }).spec,
    ).toEqual({
      name: "look",
      description: "Looks",
      signature: "(id :int) -> {name :string}",
      effect: "read",
      cache: true,
      timeout_ms: 1_500,
      task_queue: "eyes",
    }));

  test.each([
    [250, 250],
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
  ] as const)("a timeout of %j is %d ms", (timeout, ms) =>
    expect(defineTool({ name: "a", timeout, run }).spec.timeout_ms).toBe(ms),
  );

  test.each([
    { it: "the name return", options: { name: "return", run }, code: "reserved_tool_name", says: '"return"' },
    { it: "the name fail", options: { name: "fail", run }, code: "reserved_tool_name", says: '"fail"' },
    { it: "an empty name", options: { name: "", run }, code: "invalid_tool", says: '"" is not a tool name' },
    {
      it: "a name with a blank",
      options: { name: "a b", run },
      code: "invalid_tool",
      says: '"a b" is not a tool name',
    },
    { it: "a missing run", options: { name: "a" }, code: "invalid_tool", says: "Tool a: `run` must be a function" },
    { it: "a wrong effect", options: { name: "a", effect: "reads", run }, code: "invalid_tool", says: '"reads"' },
    { it: "a timeout of words", options: { name: "a", timeout: "soon", run }, code: "invalid_tool", says: '"soon"' },
    { it: "a timeout of nothing", options: { name: "a", timeout: 0, run }, code: "invalid_tool", says: "got 0" },
    {
      it: "a broken signature",
      options: { name: "a", signature: "(id :number) -> :int", run },
      code: "invalid_tool",
      says: "line 1, column 5: :number is not a type",
    },
  ])("$it is refused with $code", ({ options, code, says }) => {
    const define = () => defineTool(options as never);
    expect(define).toThrow(NavigatorError);
    expect(define).toThrow(says);
    expect(define).toThrow(expect.objectContaining({ code, exitCode: 2 }));
  });
});

test.each([
  [true, { batch: 50 }],
  [20, { batch: 20 }],
  [false, {}],
])("batch: %s", (batch, spec) => {
  expect(defineTool({ name: "pay", batch, run: () => 1 }).spec).toEqual({ name: "pay", effect: "write", ...spec });
});

describe("signatures of tools with zod schemas", () => {
  test.each([
    [z.object({ id: z.int(), amount: z.number() }), "(id :int, amount :float)"],
    [z.object({ name: z.string().optional(), ok: z.boolean().nullable() }), "(name :string?, ok :bool?)"],
    [z.object({ page: z.int().default(1) }), "(page :int?)"],
    [z.object({ tags: z.array(z.string()), when: z.array(z.int()).optional() }), "(tags [:string], when :any?)"],
    [z.object({ at: z.object({ x: z.number(), y: z.number() }) }), "(at {x :float, y :float})"],
    [z.object({ at: z.object({ x: z.number() }).optional() }), "(at :map?)"],
    [z.object({ kind: z.enum(["a", "b"]), rest: z.record(z.string(), z.int()) }), "(kind :string, rest :map)"],
    [z.object({ either: z.union([z.string(), z.int()]), thing: z.unknown() }), "(either :any, thing :any)"],
    [z.object({ "not a name": z.int() }), "()"],
    [z.object({}), "()"],
  ])("%#: %s becomes %j", (input, parameters) =>
    expect(defineTool({ name: "a", input, run }).spec.signature).toBe(`${parameters} -> :any`),
  );

  test("the output is part of it", () =>
    expect(
      defineTool({
        name: "a",
        input: z.object({ id: z.int() }),
        output: z.object({ items: z.array(z.object({ sku: z.string() })) }),
        run: () => ({ items: [] }),
      }).spec.signature,
    ).toBe("(id :int) -> {items [{sku :string}]}"));

  test("an explicit signature overrides it", () =>
    expect(
      defineTool({ name: "a", input: z.object({ id: z.int() }), signature: "(id :any) -> :int", run }).spec.signature,
    ).toBe("(id :any) -> :int"));
});

describe("arguments and results with a schema", () => {
  const tool = defineTool({
    name: "pay",
    input: z.object({ order: z.object({ id: z.int() }), note: z.string().default("none") }),
    output: z.object({ tx: z.string() }),
    run: ({ order, note }) => (order.id === 13 ? ({ tx: 13 } as never) : { tx: `${order.id} ${note}` }),
  });

  test("run gets the parsed arguments", async () =>
    expect(await tool.run({ order: { id: 1 } }, toolCall())).toEqual({ tx: "1 none" }));

  test("arguments that do not fit never reach run, and every path is named", async () => {
    const call = tool.run({ order: { id: "x" }, note: 5 }, toolCall());
    await expect(call).rejects.toThrow(/^invalid arguments: order\.id: .*expected number.*; note: .*expected string/);
    await expect(call).rejects.toMatchObject({
      details: { code: "invalid_tool_args", issues: [{ path: "order.id" }, { path: "note" }] },
    });
  });

  test("a result that does not fit is the tool's failure", async () => {
    const call = tool.run({ order: { id: 13 } }, toolCall());
    await expect(call).rejects.toThrow(/^invalid results: tx: .*expected string/);
  });
});

describe("what a tool says about its effects", () => {
  const input = z.object({ invoice: z.string(), cents: z.int(), memo: z.string().default("") });
  const output = z.object({ tx: z.string() });
  const pay = { name: "pay", input, output, run: () => ({ tx: "t1" }) };

  test("its spec has all of it", () =>
    expect(
      defineTool({
        ...pay,
        effect: "irreversible",
        identity: ["invoice", "cents"],
        version: "2",
        identityScope: "namespace",
        onSameEffect: "fail",
        onOtherEffect: "ask",
        lookup: () => absent,
        undo: () => null,
      }).spec,
    ).toMatchObject({
      identity: ["invoice", "cents"],
      version: "2",
      identity_scope: "namespace",
      on_same_effect: "fail",
      on_other_effect: "ask",
      lookup: true,
      undo: true,
    }));

  test("a tool that says nothing has none of it", () => {
    const silent = defineTool({ name: "touch", repeatable: false, run });
    expect(silent.spec).toEqual({ name: "touch", effect: "write" });
    expect([silent.lookup, silent.undo]).toEqual([undefined, undefined]);
    expect(defineTool({ name: "say", repeatable: true, run }).spec.repeatable).toBe(true);
  });

  test("an identity has the names of arguments, for the compiler too", () => {
    // @ts-expect-error: `sum` is no argument.
    expect(() => defineTool({ ...pay, identity: ["sum"] })).toThrow(
      expect.objectContaining({
        code: "invalid_tool",
        message: "Tool pay: identity names sum, which the signature does not have; it has invoice, cents, memo.",
      }),
    );
    expect(defineTool({ name: "free", identity: ["anything"], run }).spec.identity).toEqual(["anything"]);
  });

  test.each([
    {
      it: "an identity with a name twice",
      options: { identity: ["cents", "cents"] },
      says: "identity names cents twice",
    },
    { it: "an identity of another kind", options: { identity: "cents" }, says: "identity must be a list" },
    { it: "an empty version", options: { version: "" }, says: "version must not be empty" },
    { it: "an unknown scope", options: { identityScope: "world" }, says: "identityScope must be mission or namespace" },
    {
      it: "an unknown policy",
      options: { onSameEffect: "skip" },
      says: "onSameEffect must be run, reuse, fail or ask",
    },
    {
      it: "another unknown policy",
      options: { onOtherEffect: "run" },
      says: "onOtherEffect must be rerun, serve, fail or ask",
    },
    {
      it: "two policies for one thing",
      options: { repeatable: true, onSameEffect: "ask" },
      says: "repeatable makes every call a new effect",
    },
    {
      it: "an identity of nothing",
      options: { identity: [] },
      says: "identity names no argument: every call would be the same effect",
    },
    {
      it: "a scope of what is never recognised",
      options: { repeatable: true, identityScope: "namespace" },
      says: "repeatable makes every call a new effect, so identityScope namespace has no use",
    },
    {
      it: "an option with underscores",
      options: { on_same_effect: "ask" },
      says: 'unknown option "on_same_effect"; did you mean onSameEffect?',
    },
    {
      it: "an option without its underscore",
      options: { taskQueue: "eyes" },
      says: 'unknown option "taskQueue"; did you mean task_queue?',
    },
    {
      it: "an option with a letter too many",
      options: { lookupp: () => absent },
      says: 'unknown option "lookupp"; did you mean lookup?',
    },
    {
      it: "every option of another kind",
      options: { colour: "red", Effect: "read" },
      says: 'unknown option "colour"; there are name, description, ',
    },
    {
      it: "an unknown key of retry",
      options: { retry: { attempts: 2, maximumAttempts: 3 } },
      says: 'unknown option "retry.maximumAttempts"; there are attempts, initial, backoff, max.',
    },
    {
      it: "an unknown key of approval, as an agent file spells it",
      options: { approval: { timeout: "1h", on_timeout: "reject" } },
      says: 'unknown option "approval.on_timeout"; did you mean onTimeout?',
    },
    {
      it: "several unknown keys of rateLimit",
      options: { rateLimit: { max: 1, per: "1s", perr: "1s", colour: "red" } },
      says: 'unknown option "rateLimit.perr"; did you mean per? unknown option "rateLimit.colour"; there are max, per.',
    },
    {
      it: "retry as a number",
      options: { retry: 3 },
      says: "retry must be an object of attempts, initial, backoff, max",
    },
    {
      it: "a rateLimit of null",
      options: { rateLimit: null },
      says: "rateLimit must be an object of max, per, got null",
    },
    {
      it: "approval as a text",
      options: { approval: "anna" },
      says: 'approval must be true, false or an object of assignees, quorum, distinctGroups, separation, escalate, hours, timeout, onTimeout, remind, validFor, agents, handOver, got "anna"',
    },
    {
      it: "a wrong step of the ladder, by the option that was written,",
      options: { approval: { escalate: [{ after: "soon", to: ["ben"] }] } },
      says: "approval.escalate.0.after must be milliseconds",
    },
    {
      it: "hours that are on no day",
      options: { approval: { hours: { days: [], from: "09:00", to: "17:00", zone: "UTC" } } },
      says: "approval.hours.days must name a day",
    },
    {
      it: "a lookup of a read",
      options: { effect: "read", lookup: () => absent },
      says: "a read has no effect, so `lookup` has no use",
    },
    {
      it: "an `alone` that is neither true nor false",
      options: { alone: "no" as never },
      says: 'alone must be true or false, got "no"',
    },
    {
      it: "a batch of one call",
      options: { batch: 1 },
      says: "batch must be true, false or an integer of at least 2, got 1",
    },
    ...(
      [
        [{ effect: "irreversible" }, "a call of an irreversible tool has a separate activity"],
        [{ approval: true }, "each call needs an approval"],
        [{ completesLater: true }, "its answers come later, from outside"],
        [{ identityScope: "namespace" }, "its effects are known in all missions"],
        [{ task_queue: "other" }, "it has a separate task queue"],
        [{ heartbeat: "5s" }, "it has a separate heartbeat"],
        [{ rateLimit: { max: 1, per: "1s" } }, "it has a rate limit"],
        [{ retry: { attempts: 1 } }, "its calls have one attempt"],
      ] as const
    ).map(([options, why]) => ({
      it: `a batch, with ${Object.keys(options)},`,
      options: { ...options, batch: true },
      says: `\`batch\` has no use: ${why}.`,
    })),
    { it: "an undo that is no function", options: { undo: true }, says: "`undo` must be a function" },
  ])("$it is refused", ({ options, says }) =>
    expect(() => defineTool({ ...pay, ...(options as object) })).toThrow(
      expect.objectContaining({ code: "invalid_tool", message: expect.stringContaining(`Tool pay: ${says}`) }),
    ),
  );

  const args = { invoice: "A-1", cents: 500 };

  test("a lookup gets the key and parsed arguments, and its answer is checked as the tool's", async () => {
    const asked = jest.fn((_key: string, { memo }: { memo: string }) => found({ tx: `t${memo}` }));
    const tool = defineTool({ ...pay, lookup: asked });
    expect(await tool.lookup?.("k1", args, toolCall())).toEqual({ state: "found", value: { tx: "t" } });
    expect(asked).toHaveBeenCalledWith("k1", { ...args, memo: "" }, expect.anything());
    const wrong = defineTool({ ...pay, lookup: () => found({ tx: 1 } as never) });
    await expect(wrong.lookup?.("k1", args, toolCall())).rejects.toMatchObject({ details: { code: "invalid_result" } });
  });

  test.each([
    { said: absent, answer: { state: "absent" } },
    { said: unknown, answer: { state: "unknown" } },
  ])("a lookup may answer $answer.state", async ({ said, answer }) =>
    expect(await defineTool({ ...pay, lookup: async () => said }).lookup?.("k1", args, toolCall())).toEqual(answer),
  );

  test("a lookup that answers nothing of these is refused", async () => {
    const tool = defineTool({ ...pay, lookup: () => null as never });
    await expect(tool.lookup?.("k1", args, toolCall())).rejects.toThrow("must answer found(value), absent or unknown");
  });

  test("an undo gets the arguments, the answer and both keys", async () => {
    const undo = jest.fn(({ cents }: { cents: number }, { tx }: { tx: string }, { callKey }: UndoContext) => ({
      refund: `${tx} ${cents} ${callKey}`,
    }));
    const tool = defineTool({ ...pay, undo });
    const call = { ...toolCall(), callKey: "k1" };
    expect(await tool.undo?.(args, { tx: "t1" }, call)).toEqual({ refund: "t1 500 k1" });
    expect(await defineTool({ ...pay, undo: async () => {} }).undo?.(args, { tx: "t1" }, call)).toBeNull();
    await expect(tool.undo?.({ invoice: "A-1" }, null, call)).rejects.toMatchObject({
      details: { code: "invalid_tool_args" },
    });
  });
});

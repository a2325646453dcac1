import { z } from "zod";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { assertReturned, program, runInMemory, runOnTemporal, type Stage, typedTools } from "../../src/testing";

/** What the compiler refuses is marked: each `@ts-expect-error` is an error of its own if nothing is wrong. */

const clerk = defineAgent({
  name: "clerk",
  prompt: "Refund order {{order_id}}.",
  input: z.object({ order_id: z.int().positive(), note: z.string().default("none") }),
  output: z.object({ refunded: z.boolean(), note: z.string().trim() }),
});
const script = [program('(return {:refunded true :note (str data/note "  ")})')];

test("the context has the agent's type and its defaults, and the return what its schema reads", async () => {
  const run = await runInMemory(clerk, { script, context: { order_id: 1 } });
  assertReturned(run, { refunded: true });
  if (run.step.fail !== null) throw new Error(run.step.fail.message);
  const { refunded, note }: { refunded: boolean; note: string } = run.step.return;
  expect({ refunded, note }).toEqual({ refunded: true, note: "none" });
  // @ts-expect-error there is no such field
  expect(run.step.return.refund).toBeUndefined();
});

test("a context that does not fit is a mistake of the test, for the compiler and at run time", async () => {
  // @ts-expect-error a number is needed
  const text = runInMemory(clerk, { script, context: { order_id: "1" } });
  // @ts-expect-error the context is missing
  const missing = runInMemory(clerk, { script });
  const negative = runInMemory(clerk, { script, context: { order_id: -1 } });
  for (const run of [text, missing, negative])
    await expect(run).rejects.toMatchObject({ code: "validation_error", details: { issues: [{ path: "order_id" }] } });
});

test("a return that the schema refuses is told with its place", async () => {
  const picky = defineAgent({ prompt: "x", output: z.object({ cents: z.int().max(100) }) });
  await expect(runInMemory(picky, { script: [program("(return {:cents 101})")] })).rejects.toMatchObject({
    code: "validation_error",
    message: expect.stringContaining("cents"),
  });
});

test("missions on a server have the same types", () => {
  const calls = async (stage: Stage) => {
    const { step } = await stage.run(clerk, { script, context: { order_id: 1 } });
    if (step.fail === null) step.return.refunded satisfies boolean;
    // @ts-expect-error it may have failed
    (await runOnTemporal(clerk, { script, context: { order_id: 1 } })).step.return.refunded;
    // @ts-expect-error a number is needed
    await runOnTemporal(clerk, { script, context: { order_id: "1" } });
    // @ts-expect-error there is no such data
    await stage.runWatched(clerk, { script, context: { order_id: 1, color: "red" } }, async () => {});
  };
  expect(calls).toBeInstanceOf(Function);
});

test("an agent without schemas takes any data, and a prompt alone is one", async () => {
  const plain = defineAgent({ prompt: "Count {{n}}." });
  assertReturned(await runInMemory(plain, { script: [program("(return data/n)")], context: { n: 2 } }), 2);
  assertReturned(await runInMemory("Count.", { script: [program("(return 3)")] }), 3);
});

/** As `navigator tools types` writes them. */
interface Tools {
  getOrder: { input: { id: number }; output: { id: number; total?: number } };
  cancelOrder: { input: { id: number; reason?: string }; output: unknown };
}

test("fakes of tools have the types that were written, and play the tools", async () => {
  const tools = typedTools<Tools>({
    getOrder: ({ id }) => ({ id, total: 1999 }),
    cancelOrder: async ({ id, reason }) => `${id}: ${reason ?? "no reason"}`,
  });
  const agent = defineAgent({ prompt: "Cancel.", tools: ["getOrder", "cancelOrder"] });
  const script = [program("(return [(tool/getOrder {:id 7}) (tool/cancelOrder {:id 7})])")];
  assertReturned(await runInMemory(agent, { script, tools }), [{ id: 7, total: 1999 }, "7: no reason"]);
  // @ts-expect-error there is no such tool
  typedTools<Tools>({ findOrder: () => null });
  // @ts-expect-error the service does not answer that
  typedTools<Tools>({ getOrder: ({ id }) => ({ id: String(id) }) });
  // @ts-expect-error nobody gives it that
  typedTools<Tools>({ getOrder: ({ number }) => ({ id: number }) });
});

test("a text agent with an input schema answers in prose", async () => {
  const teller = defineAgent({ prompt: "Greet {{who}}.", input: z.object({ who: z.string() }), output: "text" });
  assertReturned(await runInMemory(teller, { script: ["Hello, Anna."], context: { who: "Anna" } }), "Hello, Anna.");
});

test("optional fields that are undefined are not given, and what JSON cannot represent is refused as on a server", async () => {
  const line = z.object({ sku: z.string(), note: z.string().optional() });
  const shop = defineAgent({
    prompt: "x",
    input: z.object({ lines: z.array(line), by: z.string().optional(), x: z.any().optional() }),
  });
  const context = { lines: [{ sku: "a", note: undefined }], by: undefined, x: undefined };
  const echo = [program("(return [data/lines (nil? data/by)])")];
  assertReturned(await runInMemory(shop, { script: echo, context }), [[{ sku: "a" }], true]);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const x of [new Date(0), new Map([["a", 1]]), () => 1, 10n, circle])
    await expect(runInMemory(shop, { script: echo, context: { lines: [], x } })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/\bx\b.*cannot be sent/),
    });
  const plain = defineAgent({ prompt: "x" });
  assertReturned(
    await runInMemory(plain, { script: [program("(return (nil? data/x))")], context: { x: undefined } as never }),
    true,
  );
});

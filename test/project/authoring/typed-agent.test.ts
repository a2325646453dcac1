import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@temporalio/client";
import { z } from "zod";
import { type AgentDefinition, defineAgent, loadProject, NavigatorClient, type Step, type StepOf } from "../../../src";
import { parseAgent } from "../../../src/core/agent/definition/parse-agent";
import { contextBySchema, stepBySchema } from "../../../src/core/agent/definition/typed-agent";
import { withToolSpecs } from "../../../src/core/agent/tools/with-specs";
import { temporaryFolder } from "../../support/environment";
import { toolCall } from "../../tools/tool-call";

/** What the compiler refuses is marked: each `@ts-expect-error` is an error of its own if nothing is wrong. */

/** A server that remembers what it was asked to start, and starts nothing. */
function remembering() {
  const started: { args: [{ context: unknown; agent: object }] }[] = [];
  const workflow = {
    start: async (_type: string, options: never) => void started.push(options),
    getHandle: () => ({}),
  };
  return { started, client: new NavigatorClient({ workflow } as unknown as Client, "queue") };
}

const clerk = defineAgent({
  name: "clerk",
  prompt: "Refund order {{order_id}}.",
  input: z.object({ order_id: z.int().positive(), note: z.string().default("none") }),
  output: z.object({ refunded: z.boolean(), cents: z.int().max(100).optional() }),
});

test("the signature is derived from the schemas", () => {
  expect(clerk.signature).toBe("(order_id :int, note :string?) -> {refunded :bool, cents :int?}");
  expect(JSON.parse(JSON.stringify(clerk))).not.toHaveProperty("input");
});

test("a context is typed, and is read with the schema before anything starts", async () => {
  const { client, started } = remembering();
  await client.startAgent({ agent: clerk, model: "m", context: { order_id: 42 } });
  expect(started[0]?.args[0].context).toEqual({ order_id: 42, note: "none" });
  await expect(client.startAgent({ agent: clerk, model: "m", context: { order_id: -1 } })).rejects.toMatchObject({
    code: "validation_error",
    message: expect.stringMatching(/order_id: /),
    details: { issues: [{ path: "order_id", message: expect.any(String) }] },
  });
  await expect(
    // @ts-expect-error a number is needed
    client.startAgent({ agent: clerk, model: "m", context: { order_id: "42" } }),
  ).rejects.toMatchObject({ code: "validation_error" });
  await expect(
    // @ts-expect-error the context is missing
    client.startAgent({ agent: clerk, model: "m" }),
  ).rejects.toMatchObject({ code: "validation_error" });
  expect(started).toHaveLength(1);
});

test("the run gets what comes out of `input`, and the client what comes out of `output`", async () => {
  const agent = defineAgent({
    prompt: "Look up {{id}} since {{since}}.",
    input: z.object({
      id: z.string().transform(Number),
      size: z.string().pipe(z.coerce.number()),
      since: z.date().transform((at) => at.toISOString()),
      page: z.object({ of: z.int().prefault(1) }).optional(),
    }),
    output: z.object({ due: z.coerce.date(), days: z.string().transform(Number), cents: z.int().default(0) }),
  });
  expect(agent.signature).toBe(
    "(id :any, size :float, since :any, page :map?) -> {due :any, days :string, cents :int?}",
  );
  const { client, started } = remembering();
  const context = { id: "5", size: "2.5", since: new Date(0), page: {} };
  await client.startAgent({ agent, model: "m", context });
  expect(started[0]?.args[0].context).toEqual({ id: 5, size: 2.5, since: "1970-01-01T00:00:00.000Z", page: { of: 1 } });
  // @ts-expect-error a text goes in
  await expect(client.startAgent({ agent, model: "m", context: { ...context, id: 5 } })).rejects.toMatchObject({
    code: "validation_error",
  });
  const step: Step = { ...({} as Step), return: { due: "2026-11-26", days: "3" }, fail: null };
  const read = await stepBySchema(agent, step);
  expect(read).toMatchObject({ ok: true, value: { return: { due: new Date("2026-11-26"), days: 3, cents: 0 } } });
});

test("copies keep the schemas: of a spread, with the specs of tools, read again, and of a project", async () => {
  const { client, started } = remembering();
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-typed-"));
  writeFileSync(
    path.join(folder, "navigator.config.cjs"),
    `const { defineAgent } = require("navigator-agents");
     const { z } = require(${JSON.stringify(require.resolve("zod"))});
     module.exports = { agents: [defineAgent({ name: "clerk", prompt: "Refund {{order_id}}.", tools: {},
       input: z.object({ order_id: z.int().positive() }) })] };`,
  );
  const project = await loadProject(folder, { env: { NAVIGATOR_PROJECT: "none" } });
  const parsed = parseAgent(clerk);
  if (!parsed.ok) throw new Error(parsed.fail.message);
  const copies = [{ ...clerk, model: "other" }, withToolSpecs(clerk, []), parsed.value, await project.agent("clerk")];
  for (const agent of copies)
    await expect(client.startAgent({ agent, model: "m", context: { order_id: -1 } })).rejects.toMatchObject({
      code: "validation_error",
      details: { issues: [{ path: "order_id" }] },
    });
  // @ts-expect-error a copy keeps the types, too
  await expect(client.startAgent({ agent: { ...clerk, model: "o" }, model: "m", context: {} })).rejects.toBeDefined();
  await client.startAgent({ agent: copies[1] as AgentDefinition, model: "m", context: { order_id: 1 } });
  expect(JSON.stringify(started)).not.toContain("_zod");
  rmSync(folder, { recursive: true });
});

test("a return has its type once the run did not fail", async () => {
  const step: Step = { ...({} as Step), return: { refunded: true, cents: 99 }, fail: null };
  const read = await stepBySchema(clerk, step);
  if (!read.ok) throw new Error(read.fail.message);
  const typed: StepOf<{ refunded: boolean; cents?: number | undefined }> = read.value;
  // @ts-expect-error it may have failed
  typed.return.refunded;
  if (typed.fail !== null) throw new Error("it failed");
  expect(typed.return.refunded).toBe(true);
  // @ts-expect-error there is no such field
  expect(typed.return.refund).toBeUndefined();
});

test("a return that does not fit the schema says where", async () => {
  const step: Step = { ...({} as Step), return: { refunded: true, cents: 101 }, fail: null };
  expect(await stepBySchema(clerk, step)).toMatchObject({
    ok: false,
    fail: {
      reason: "validation_error",
      message: expect.stringContaining("The return does not fit the agent's schema: cents: "),
    },
  });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no such city");
    },
    "no such city",
  ],
  ["is asynchronous", async () => true, "Promise"],
])("a schema that %s is a refusal of the context, too", (_, check, says) => {
  const agent = defineAgent({ prompt: "Go to {{city}}.", input: z.object({ city: z.string().refine(check) }) });
  expect(contextBySchema(agent, { city: "Ulm" })).toMatchObject({
    ok: false,
    fail: { reason: "validation_error", message: expect.stringContaining(says) },
  });
});

test("an agent without schemas stays as it was", async () => {
  const { client, started } = remembering();
  const plain = defineAgent({ prompt: "Do it.", signature: "(a :int) -> :int" });
  await client.startAgent({ agent: plain, model: "m", context: { a: 1 } });
  await client.startAgent({ agent: "Do it.", model: "m" });
  expect(started).toHaveLength(2);
});

test.each<[string, Parameters<typeof defineAgent>[0], RegExp]>([
  [
    "a signature besides schemas",
    { prompt: "x", input: z.object({}), signature: "() -> :int" } as never,
    /signature: /,
  ],
  [
    "a context with a date",
    { prompt: "x", input: z.object({ at: z.date() }) } as never,
    /input: a date \(properties.at\)/,
  ],
  [
    "a return that no program makes",
    { prompt: "x", output: z.map(z.string(), z.int()) } as never,
    /output: a map is no/,
  ],
  ["an input that is no object", { prompt: "x", input: z.string() } as never, /input: must be an object schema/],
  ["a mode without a schema", { prompt: "x", mode: "text" } as never, /mode: has no use/],
])("%s is refused", (_what, source, says) => {
  expect(() => defineAgent(source)).toThrow(
    expect.objectContaining({ code: "invalid_agent", message: expect.stringMatching(says) }),
  );
});

test("tools of the AI SDK stand as a map in the configuration of a project", async () => {
  const folder = temporaryFolder("ai-sdk-tools");
  writeFileSync(
    path.join(folder.path, "navigator.config.cjs"),
    `const { tool } = require(${JSON.stringify(require.resolve("ai"))});
     const { z } = require(${JSON.stringify(require.resolve("zod"))});
     module.exports = { tools: { double: tool({ inputSchema: z.object({ n: z.int() }), execute: ({ n }) => 2 * n }) } };`,
  );
  const { tools } = await loadProject(folder.path, { env: { NAVIGATOR_PROJECT: "none" } });
  expect(tools.specs()).toEqual([expect.objectContaining({ name: "double", signature: "(n :int) -> :any" })]);
  expect(await tools.get("double")?.run({ n: 4 }, toolCall())).toBe(8);
  await expect(tools.get("double")?.run({ n: "abc" }, toolCall())).rejects.toThrow(
    /invalid arguments: n: .*expected number/,
  );
  folder.remove();
});

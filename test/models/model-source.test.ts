import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { createProviderRegistry } from "ai";
import { createModels, type ModelOptions } from "../../src/models";
import { Loopback } from "./loopback";
import { KEY, wireOf } from "./wire";

/** Models that a project gives as objects, functions or a registry. */
let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const ask = (name: string, options: ModelOptions) =>
  createModels({ env: {}, ...options })
    .resolve(name)
    .complete(
      {
        model: name,
        agent: "a",
        turn: 1,
        call: 1,
        system: "S",
        messages: [{ role: "user", content: "Begin." }],
        tool_names: [],
      },
      { signal: new AbortController().signal },
    );
const settings = () => ({ apiKey: KEY, baseURL: loopback.url });
const openAi = wireOf("openai");

test.each([
  {
    it: "a model object of any provider package",
    name: "fast",
    options: () => ({ models: { fast: createGroq(settings())("m") } }),
  },
  {
    it: "a registry",
    name: "mistral:m",
    options: () => ({ registry: createProviderRegistry({ mistral: createMistral(settings()) }) }),
  },
  { it: "a provider", name: "m", options: () => ({ registry: createGroq(settings()) }) },
] as { it: string; name: string; options: () => ModelOptions }[])(
  "$it answers under its name",
  async ({ name, options }) => {
    loopback.reset({ body: openAi.reply({ text: "(return 1)" }) });
    expect(await ask(name, options())).toMatchObject({ content: "(return 1)", tokens: { input: 12, output: 5 } });
    expect(loopback.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(loopback.seen[0]?.body).toMatchObject({
      model: "m",
      messages: [{ role: "system", content: "S" }, { role: "user" }],
    });
  },
);

test("a function answers with a text or a whole reply", async () => {
  expect(await ask("f", { models: { f: ({ system }) => `heard ${system}` } })).toEqual({ content: "heard S" });
  expect(await ask("f", { models: { f: async () => ({ content: "x", model: "m" }) } })).toEqual({
    content: "x",
    model: "m",
  });
});

test("a name that a registry does not have, and an object of another AI SDK, are refused", () => {
  const registry = createProviderRegistry({ groq: createGroq(settings()) });
  expect(() => createModels({ env: {}, registry }).resolve("other:m")).toThrow('There is no model "other:m"');
  const models = {
    old: { ...createGroq(settings())("m"), specificationVersion: "v9", modelId: "m", doGenerate: () => {} } as never,
  };
  expect(() => createModels({ env: {}, models }).resolve("old")).toThrow(/specification v9; Navigator takes v3/);
});

test("a model object of AI SDK 5 answers as AI SDK 6 takes it", async () => {
  const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17, cachedInputTokens: 4 };
  const old = {
    specificationVersion: "v2",
    provider: "old",
    modelId: "m",
    supportedUrls: {},
    doGenerate: async () => ({ content: [{ type: "text", text: "x" }], finishReason: "stop", usage, warnings: [] }),
    doStream: async () => {
      throw new Error("not asked for");
    },
  };
  const warn = jest.spyOn(console, "warn").mockImplementation();
  const info = jest.spyOn(console, "info").mockImplementation();
  expect(await ask("old", { models: { old: old as never } })).toMatchObject({
    content: "x",
    tokens: { input: 12, output: 5, cache_read: 4 },
  });
  for (const spy of [warn, info]) spy.mockRestore();
});

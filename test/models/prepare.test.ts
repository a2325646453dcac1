import { writeFileSync } from "node:fs";
import path from "node:path";
import { createModels, prepareModels, providerStates } from "../../src/models";
import { loadProject } from "../../src/project/load";
import { temporaryFolder } from "../support/environment";

describe("configured providers", () => {
  test.each([
    { provider: "anthropic", env: { ANTHROPIC_API_KEY: "k" }, usable: true, set: ["ANTHROPIC_API_KEY"], missing: [] },
    { provider: "anthropic", env: { ANTHROPIC_API_KEY: " " }, usable: false, set: [], missing: ["ANTHROPIC_API_KEY"] },
    {
      provider: "google",
      env: { GEMINI_API_KEY: "k", GOOGLE_BASE_URL: "http://127.0.0.1" },
      usable: true,
      set: ["GEMINI_API_KEY", "GOOGLE_BASE_URL"],
      missing: [],
    },
    { provider: "google", env: {}, usable: false, set: [], missing: ["GOOGLE_GENERATIVE_AI_API_KEY"] },
    {
      provider: "openai-compatible",
      env: { NAVIGATOR_API_KEY: "k" },
      usable: false,
      set: ["NAVIGATOR_API_KEY"],
      missing: ["NAVIGATOR_BASE_URL"],
    },
  ] as (ReturnType<typeof providerStates>[number] & { env: NodeJS.ProcessEnv })[])(
    "$provider with $env",
    ({ env, ...state }) => expect(providerStates(env, ".")).toContainEqual(state),
  );
});

test("models are prepared by name, each once, and none is called", () => {
  const models = createModels({ env: { OPENAI_API_KEY: "k" }, models: { own: { complete: () => Promise.reject() } } });
  expect(prepareModels(models, ["own", "openai/m", "openai/m", "anthropic/m", "what"])).toEqual([
    { name: "own", usable: true },
    { name: "openai/m", usable: true },
    {
      name: "anthropic/m",
      usable: false,
      errorClass: "config_error",
      problem: expect.stringContaining("ANTHROPIC_API_KEY"),
    },
    { name: "what", usable: false, errorClass: "llm_not_found", problem: expect.stringContaining("There is no model") },
  ]);
});

describe("prices in navigator.config", () => {
  const folder = temporaryFolder("prices");
  afterAll(() => folder.remove());
  const project = (prices: unknown) => {
    const config = { prices, script: [{ content: "x", tokens: { input: 1_000, output: 100 } }] };
    writeFileSync(path.join(folder.path, "navigator.config.json"), JSON.stringify(config));
    return loadProject(folder.path, { env: {} });
  };

  test("set the price of a model", async () => {
    const { models } = await project({ scripted: { input: 2, output: 10 } });
    const call = { model: "scripted", agent: null, turn: 1, call: 1, system: "", messages: [], tool_names: [] };
    const reply = await models.resolve("scripted").complete(call, { signal: new AbortController().signal });
    expect(reply.tokens?.total_cost).toBe(0.003);
  });

  test.each([
    { prices: { "a/m": { input: 1 } }, says: "prices.a/m.output: must be US dollars for a million tokens" },
    { prices: { "a/m": { input: -1, output: 1 } }, says: "prices.a/m.input: must not be negative" },
    { prices: { "a/m": { input: 1, output: 1, cached: 1 } }, says: "prices.a/m: " },
    { prices: { "a/m": 3 }, says: "prices.a/m: must be a map of input, output, cache_read, cache_write" },
    { prices: [], says: "prices: must be a map of model to" },
  ])("$prices is refused: $says", async ({ prices, says }) => await expect(project(prices)).rejects.toThrow(says));
});

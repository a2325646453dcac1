import { createModels, type ModelOptions } from "../../src/models";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { runInMemory } from "../../src/testing";
import { Loopback } from "./loopback";
import { KEY, wireOf } from "./wire";

/** Model settings of an agent, from its definition to the HTTP request (agent reference, section 5.5). */
let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

/** Runs an agent against the loopback provider, and gives its return. */
async function run(provider: string, options: object, texts: string[], more: ModelOptions = {}) {
  const wire = wireOf(provider);
  loopback.reset(...texts.map((text) => ({ body: wire.reply({ text }) })));
  const model = createModels({ env: wire.env(loopback.url), ...more }).resolve(wire.model);
  const agent = defineAgent({
    name: "clerk",
    prompt: "Work.",
    model: (call: Parameters<typeof model.complete>[0], how: Parameters<typeof model.complete>[1]) =>
      model.complete(call, how),
    ...options,
  });
  return (await runInMemory(agent, {})).step.return;
}
const bodies = () => loopback.seen.map(({ body }) => body);

const SETTINGS = {
  temperature: 0,
  top_p: 0.5,
  top_k: 40,
  max_output_tokens: 321,
  stop_sequences: ["END"],
  seed: 7,
  presence_penalty: 0.5,
  frequency_penalty: -0.5,
  headers: { "x-team": "returns" },
};

test.each([
  {
    provider: "openai",
    provider_options: { openai: { serviceTier: "flex", user: "u7" } },
    sent: {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 321,
      stop: ["END"],
      seed: 7,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      user: "u7",
    },
  },
  {
    provider: "anthropic",
    provider_options: { anthropic: { effort: "low" } },
    sent: { temperature: 0, top_k: 40, max_tokens: 321, stop_sequences: ["END"], output_config: { effort: "low" } },
  },
  {
    provider: "google",
    provider_options: { google: { labels: { team: "returns" } } },
    sent: {
      generationConfig: { temperature: 0, topP: 0.5, topK: 40, maxOutputTokens: 321, stopSequences: ["END"], seed: 7 },
      labels: { team: "returns" },
    },
  },
])(
  "$provider gets them in its own words with every call, and headers beside the key",
  async ({ provider, provider_options, sent }) => {
    const model_settings = { ...SETTINGS, provider_options };
    expect(await run(provider, { model_settings }, ["(def a 1)", "(return a)"])).toBe(1);
    expect(loopback.seen).toHaveLength(2);
    for (const { body, headers } of loopback.seen) {
      expect(body).toMatchObject(sent);
      expect(headers["x-team"]).toBe("returns");
      expect(JSON.stringify(headers)).toContain(KEY);
    }
  },
);

test("an LLM tool and an agent as a tool have their own, not those of their caller", async () => {
  const sort = { prompt: "Sort {{text}}", signature: "(text :string) -> :string", model_settings: { temperature: 0 } };
  const helper = { name: "helper", description: "Helps", prompt: "Help.", max_output_tokens: 99 };
  const tools = { sort: { llm: sort }, helper: { agent: helper } };
  const texts = ['(return [(tool/sort {:text "x"}) (tool/helper {})])', "low", "(return 5)"];
  expect(await run("openai-compatible", { tools, model_settings: { temperature: 1.5, seed: 7 } }, texts)).toEqual([
    "low",
    5,
  ]);
  expect(bodies().map(({ temperature, seed, max_tokens }) => ({ temperature, seed, max_tokens }))).toEqual([
    { temperature: 1.5, seed: 7, max_tokens: undefined },
    { temperature: 0, seed: undefined, max_tokens: undefined },
    { temperature: undefined, seed: undefined, max_tokens: 99 },
  ]);
});

test("a model's own settings hold where the agent says nothing", async () => {
  const settings = {
    "openai/m": { temperature: 1, seed: 3, max_output_tokens: 50, headers: { "x-team": "all", "x-site": "a" } },
  };
  const model_settings = { temperature: 0, headers: { "x-team": "returns" } };
  await run("openai", { model_settings }, ["(return 1)"], { settings });
  expect(bodies()).toMatchObject([{ temperature: 0, seed: 3, max_tokens: 50 }]);
  expect(loopback.seen[0]?.headers).toMatchObject({ "x-team": "returns", "x-site": "a" });
});

test("a limit of tokens is given once", () => {
  const twice = { prompt: "Work.", max_output_tokens: 10, model_settings: { max_output_tokens: 20 } };
  expect(() => defineAgent(twice)).toThrow(/model_settings\.max_output_tokens: the agent itself has/);
});

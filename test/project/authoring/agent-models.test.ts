import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { createProviderRegistry, wrapLanguageModel } from "ai";
import { modelsOf } from "../../../src/core/agent/run/ask-models";
import { createModels, type ModelCall, modelsWithAgents } from "../../../src/models";
import { type AgentModel, defineAgent } from "../../../src/project/authoring/define-agent";
import { loadProject } from "../../../src/project/load";
import { assertReturned, program, runInMemory } from "../../../src/testing";
import { Loopback } from "../../models/loopback";
import { KEY, wireOf } from "../../models/wire";

/** Agents whose model is an object or a function, in code, in a configuration and in tests. */
let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const groq = (apiKey = KEY) => createGroq({ apiKey, baseURL: loopback.url });
const agentWith = (model: AgentModel | AgentModel[], name = "clerk") =>
  defineAgent({ name, prompt: "Say one.", model });
const says = (text: string) => ({ body: wireOf("openai").reply({ text: program(text) }) });
const echo = ({ messages }: ModelCall) => program(`(return ${messages.length})`);

test("the definition has names; the objects stay in the process, also in copies, and no JSON has them", () => {
  const agent = agentWith([groq()("m"), echo, "openai/gpt"]);
  expect(agent.model).toEqual(["groq.chat/m", "function/echo", "openai/gpt"]);
  expect(JSON.stringify(agent)).not.toContain(KEY);
  expect(createModels({ env: {}, agents: [{ ...agent, max_turns: 2 }] }).own).toEqual(["groq.chat/m", "function/echo"]);
  expect(createModels({ env: {}, agents: [{ ...agent, model: "openai/gpt" }] }).own).toEqual([]);
});

test("a function that is written in place has the agent's name, and needs one", () => {
  expect(agentWith(() => "(return 1)").model).toBe("function/clerk");
  expect(() => defineAgent({ prompt: "p", model: () => "(return 1)" })).toThrow(
    /model: must be .* function with a name/,
  );
});

test("a test without a script asks the agent's own models, those of agents among its tools, too", async () => {
  loopback.reset(says("(return (tool/ask {}))"));
  const child = agentWith(echo, "child");
  const parent = defineAgent({
    name: "parent",
    prompt: "p",
    model: groq()("m"),
    tools: { ask: { agent: child, description: "Asks." } },
  });
  assertReturned(await runInMemory(parent, {}), 1);
  expect(loopback.seen).toHaveLength(1);
  assertReturned(await runInMemory(parent, { script: { parent: [program("(return 5)")] } }), 5);
  await expect(runInMemory(agentWith("openai/gpt"), {})).rejects.toThrow("Nothing answers for the model");
});

test("one name is one model: made alike they are the same, with other settings the second is refused", () => {
  const alike = [agentWith(groq()("m"), "a"), agentWith(groq()("m"), "b")];
  expect(createModels({ env: {}, agents: alike }).own).toEqual(["groq.chat/m"]);
  const differ = (model: AgentModel) => () => createModels({ env: {}, agents: [...alike, agentWith(model, "c")] });
  const wrapped = wrapLanguageModel({ model: groq()("m"), middleware: { specificationVersion: "v3" } });
  for (const other of [
    groq("another-key")("m"),
    createGroq({ apiKey: KEY, baseURL: "http://127.0.0.1:9" })("m"),
    wrapped,
  ])
    expect(differ(other)).toThrow(/different settings have the name groq.chat\/m; one is of the agent "c"/);
  const models = { "groq.chat/m": echo };
  expect(() => createModels({ env: {}, models, agents: alike })).toThrow(
    expect.objectContaining({
      code: "already_exists",
      details: expect.objectContaining({ path: "groq.chat/m", kind: "model" }),
    }),
  );
});

test("a wrapped model answers through its middleware, and a worker's own resolver learns of agents", async () => {
  loopback.reset(says("(return 1)"));
  const middleware = {
    specificationVersion: "v3" as const,
    transformParams: async <P extends { seed?: number | undefined }>({ params }: { params: P }) => ({
      ...params,
      seed: 7,
    }),
  };
  const agent = agentWith(wrapLanguageModel({ model: groq()("m"), middleware: middleware as never }));
  assertReturned(await runInMemory(agent, {}), 1);
  expect(loopback.seen[0]?.body).toMatchObject({ seed: 7 });

  const plain = { resolve: () => ({ complete: async () => ({ content: "plain" }) }) };
  const known = modelsWithAgents(plain, [agent]);
  const call = { model: "x", agent: "a", turn: 1, call: 1, system: "S", messages: [], tool_names: [] };
  expect(await known.resolve("x").complete(call, { signal: new AbortController().signal })).toEqual({
    content: "plain",
  });
  expect(known.own).toEqual(["groq.chat/m"]);
});

test("a name that no worker was given says how to give it", () => {
  expect(() => createModels({ env: {} }).resolve("groq.chat/m")).toThrow(
    /`agents` of navigator.config or createWorker/,
  );
  expect(() => createModels({ env: {} }).resolve("nobody/m")).toThrow(/MODEL\.$/);
});

test.each([
  [
    "objects, functions and objects with `complete` by name",
    `{ fast: createGroq(settings)("m"), f: () => "x", own: { complete: async () => ({ content: "y" }) } }`,
    ["fast", "f", "own"],
  ],
  ["a provider", "createGroq(settings)", ["m"]],
  ["a registry", "createProviderRegistry({ groq: createGroq(settings) })", ["groq:m"]],
])("a configuration's `models` may be %s; agents bring theirs", async (_, models, names) => {
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-models-"));
  const from = (name: string) => JSON.stringify(require.resolve(name));
  writeFileSync(
    path.join(folder, "navigator.config.cjs"),
    `const { createGroq } = require(${from("@ai-sdk/groq")});
     const { createProviderRegistry } = require(${from("ai")});
     const settings = { apiKey: "k", baseURL: ${JSON.stringify(loopback.url)} };
     module.exports = { models: ${models}, agents: [{ name: "a", prompt: "p", model: createGroq(settings)("theirs") }] };`,
  );
  try {
    const project = await loadProject(folder, { env: {} });
    expect(project.agents.a?.model).toBe("groq.chat/theirs");
    for (const name of [...names, "groq.chat/theirs"])
      expect(project.models.resolve(name).complete).toEqual(expect.any(Function));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a model object of any provider is a model", () => {
  expect(agentWith(createMistral({ apiKey: KEY })("mistral-small")).model).toBe("mistral.chat/mistral-small");
});

describe("models by the package of their provider", () => {
  const env = () => ({
    MISTRAL_API_KEY: KEY,
    GROQ_API_KEY: KEY,
    MISTRAL_BASE_URL: loopback.url,
    GROQ_BASE_URL: loopback.url,
  });
  const call = {
    model: "x",
    agent: "a",
    turn: 1,
    call: 1,
    system: "S",
    tool_names: [],
    messages: [{ role: "user" as const, content: "Begin." }],
  };

  test.each(["mistral/m", "groq/m"])("%s answers", async (name) => {
    loopback.reset(says("(return 1)"));
    const model = createModels({ env: env() }).resolve(name);
    expect(await model.complete(call, { signal: new AbortController().signal })).toMatchObject({
      content: program("(return 1)"),
    });
    expect(loopback.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test.each([
    ["mistral/m", {}, /needs an API key: set MISTRAL_API_KEY/],
    ["cohere/m", {}, /npm install @ai-sdk\/cohere@3$/],
    ["mistrall/m", {}, /Did you mean mistral\?/],
    ["anthropc/m", {}, /Did you mean anthropic\?/],
    ["mistral/", { MISTRAL_API_KEY: KEY }, /"mistral\/" names no model/],
    ["provider-utils/m", {}, /There is no model "provider-utils\/m"\. Available/],
  ] as [string, NodeJS.ProcessEnv, RegExp][])("%s is refused with what would help", (name, given, message) => {
    expect(() => createModels({ env: given }).resolve(name)).toThrow(message);
  });

  test("a provider as the registry, which has every id, leaves them the names that are theirs", async () => {
    const registry = createGroq({ apiKey: "key-of-the-registry", baseURL: loopback.url });
    const models = createModels({ env: env(), registry });
    const asked: unknown[] = [];
    for (const name of ["mistral/m", "meta-llama/m", "m"]) {
      loopback.reset(says("(return 1)"));
      await models.resolve(name).complete(call, { signal: new AbortController().signal });
      asked.push([loopback.seen[0]?.headers.authorization, loopback.seen[0]?.body.model]);
    }
    expect(asked).toEqual([
      [`Bearer ${KEY}`, "m"],
      ["Bearer key-of-the-registry", "meta-llama/m"],
      ["Bearer key-of-the-registry", "m"],
    ]);
    // A registry says which ids it has: they come first.
    const own = createProviderRegistry({ mistral: registry }, { separator: "/" });
    loopback.reset(says("(return 1)"));
    await createModels({ env: env(), registry: own })
      .resolve("mistral/m")
      .complete(call, { signal: new AbortController().signal });
    expect(loopback.seen[0]?.headers.authorization).toBe("Bearer key-of-the-registry");
  });

  test("a run with an llm_registry takes names of a provider registry", () => {
    const input = { agent: agentWith("groq:m"), context: {}, journal: null, model: "", llm_registry: {} };
    expect(modelsOf(input)).toEqual({ ok: true, value: ["groq:m"] });
  });
});

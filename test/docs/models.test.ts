import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import {
  createModels,
  type ModelCall,
  PRICES_LOOKED_UP,
  parseScript,
  providerStates,
  scriptedModel,
} from "../../src/models";
import { loadProject } from "../../src/project/load";
import { temporaryFolder } from "../support/environment";

/** docs/models.md says nothing that is not so. */
const text = readFileSync(path.join(__dirname, "../../docs/models.md"), "utf8");
const block = (language: string, n = 0): string =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))][n]?.[1] as string;
const signal = new AbortController().signal;
const call: ModelCall = { model: "m", agent: "order", turn: 1, call: 1, system: "", messages: [], tool_names: [] };

test.each(providerStates({}, "."))("$provider has a row with the settings that are read", ({ provider }) => {
  const row = new RegExp(`^\\| \`${provider}/MODEL\` .*$`, "m").exec(text)?.[0] ?? "";
  expect(row).not.toBe("");
  const names = [...row.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name as string);
  const all = Object.fromEntries(names.map((name) => [name, "http://127.0.0.1"]));
  expect(providerStates(all, ".").find((state) => state.provider === provider)?.usable).toBe(true);
  const [key, address] = [names[0] as string, names.at(-1) as string];
  expect(providerStates(all, ".").find((state) => state.provider === provider)?.set).toEqual([key, address]);
  // Any of its keys will do.
  for (const other of names.slice(0, -1)) {
    const env = { [other]: "k", [address]: "http://127.0.0.1" };
    expect(() => createModels({ env }).resolve(`${provider}/m`)).not.toThrow();
  }
});

test("the table of prices has the documented date", () => expect(text).toContain(PRICES_LOOKED_UP));

test("the project's own model answers, and has its price", async () => {
  const folder = temporaryFolder("models-doc");
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(path.join(folder.path, "navigator.config.cjs"), block("js"));
  const { models } = await loadProject(folder.path, { env: {} });
  const reply = await models.resolve("acme/house").complete(call, { signal });
  expect(reply.tokens).toEqual({ input: 120, output: 8, total_cost: 0.000152 });
  folder.remove();
});

test("the agent with settings is valid, and so are the settings of models in the configuration", async () => {
  expect(parseAgent(parse(block("yaml")))).toMatchObject({ ok: true, value: { model_settings: { temperature: 0 } } });
  const folder = temporaryFolder("settings-doc");
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(path.join(folder.path, "navigator.config.cjs"), block("js", 1));
  const { models } = await loadProject(folder.path, { env: { OPENAI_API_KEY: "k" } });
  expect(() => models.resolve("openai/gpt-6.1-sol")).not.toThrow();
  folder.remove();
});

test("the agent with two models is valid", () => {
  const agent = parseAgent(parse(block("yaml", 1)));
  expect(agent).toMatchObject({ ok: true, value: { model: ["anthropic/claude-sonnet-5-5", "openai/gpt-6.1-sol"] } });
});

describe("the script", () => {
  const model = scriptedModel(parseScript(parse(block("yaml", 2)), "docs/models.md"), "docs/models.md");
  test.each([
    { asked: { call: 1 }, reply: { content: "(return {:status :waiting})" } },
    { asked: { call: 2 }, reply: { content: "Late.", tokens: { input: 100, output: 5, total_cost: 0.001 } } },
    { asked: { call: 3 }, reply: { content: "Once upon a time." } },
    { asked: { call: 4 }, reply: { tool_calls: [{ name: "get_order", args: { id: 7 } }] } },
    { asked: { call: 5, attempt: 2 }, reply: { content: "At last." } },
    { asked: { agent: "ship" }, reply: { content: "(return {:status :waiting})" } },
    {
      asked: { agent: "ship", call: 9, system: "- [done] payment_confirmed: true" },
      reply: { content: "(return {:status :paid})" },
    },
  ])("$asked is answered with $reply", async ({ asked, reply }) =>
    expect(await model.complete({ ...call, ...asked }, { signal })).toMatchObject(reply),
  );

  test("the third is heard in pieces", async () => {
    const heard: string[] = [];
    await model.complete({ ...call, call: 3 }, { signal, onText: (piece) => void heard.push(piece) });
    expect(heard).toEqual(["Once upon ", "a time."]);
  });

  test("the fifth reply fails first", async () =>
    await expect(model.complete({ ...call, call: 5 }, { signal })).rejects.toMatchObject({ errorClass: "rate_limit" }));
});

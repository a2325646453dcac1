import { writeFileSync } from "node:fs";
import path from "node:path";
import { createModels, type Model, type ModelCall } from "../../src/models";
import { redact } from "../../src/models/redact";
import { retryAfterMs } from "../../src/node/retry-after";
import { temporaryFolder } from "../support/environment";

const folder = temporaryFolder("scripts");
afterAll(() => folder.remove());
const file = (name: string, text: string): string => {
  const place = path.join(folder.path, name);
  writeFileSync(place, text);
  return place;
};

const call: ModelCall = { model: "m", agent: null, turn: 1, call: 1, system: "", messages: [], tool_names: [] };
const answer = async (model: Model) => (await model.complete(call, { signal: new AbortController().signal })).content;

describe("models by name", () => {
  const own: Model = { complete: async () => ({ content: "mine" }) };

  test("a project's own model is found by its name, which overrides a built-in one", async () => {
    const models = createModels({ env: {}, models: { "acme/m": own, "openai/m": own } });
    expect(await answer(models.resolve("acme/m"))).toBe("mine");
    expect(await answer(models.resolve("openai/m"))).toBe("mine");
  });

  test.each([
    {
      name: "nothing",
      errorClass: "llm_not_found",
      says: 'There is no model "nothing". Available: acme/m, scripted, ',
    },
    { name: "opneai/m", errorClass: "llm_not_found", says: "openai/MODEL" },
    { name: "", errorClass: "llm_not_found", says: 'There is no model "".' },
    { name: "constructor/m", errorClass: "llm_not_found", says: "There is no model" },
    { name: "openai/", errorClass: "llm_not_found", says: '"openai/" names no model' },
    { name: "anthropic/m", errorClass: "config_error", says: "set ANTHROPIC_API_KEY where the worker runs" },
    { name: "openai/m", errorClass: "config_error", says: "set OPENAI_API_KEY" },
    { name: "google/m", errorClass: "config_error", says: "set GOOGLE_GENERATIVE_AI_API_KEY" },
    { name: "openai-compatible/m", errorClass: "config_error", says: "needs NAVIGATOR_BASE_URL" },
    { name: "scripted", errorClass: "config_error", says: "set NAVIGATOR_SCRIPT" },
  ])("$name is a $errorClass: $says", ({ name, errorClass, says }) => {
    const resolve = () => createModels({ env: {}, models: { "acme/m": own } }).resolve(name);
    expect(resolve).toThrow(says);
    expect(resolve).toThrow(expect.objectContaining({ errorClass, retryable: false }));
  });

  test.each([
    { env: { NAVIGATOR_BASE_URL: "localhost:1/v1" }, says: "NAVIGATOR_BASE_URL is not an http(s) address" },
    {
      env: { NAVIGATOR_BASE_URL: "http://127.0.0.1/v1", NAVIGATOR_MODEL_TIMEOUT_MS: "soon" },
      says: 'NAVIGATOR_MODEL_TIMEOUT_MS must be a number of milliseconds, got "soon"',
    },
  ])("$env is refused: $says", ({ env, says }) =>
    expect(() => createModels({ env }).resolve("openai-compatible/m")).toThrow(says),
  );
});

describe("the script of the scripted model", () => {
  const scripts = () => {
    file("a.json", '["from a"]');
    file("b.yaml", "- from b\n");
  };

  test.each([
    { name: "scripted", env: {}, script: ["inline"], content: "inline" },
    { name: "scripted", env: {}, script: "a.json", content: "from a" },
    { name: "scripted", env: { NAVIGATOR_SCRIPT: "b.yaml" }, script: "a.json", content: "from b" },
    { name: "scripted:b.yaml", env: {}, script: "a.json", content: "from b" },
  ])("$name with $env and script $script answers $content", async ({ name, env, script, content }) => {
    scripts();
    expect(await answer(createModels({ env, script, folder: folder.path }).resolve(name))).toBe(content);
  });

  test.each([
    { text: null, says: "There is no file" },
    { text: '[\n  "a",\n  oops]', says: "x.json:3:3: Unexpected token" },
    { text: '["a"', says: "x.json:1:5: " },
    { text: '{"a": 1}', says: "x.json is not a script: a: " },
  ])("a script file with $text is a config_error: $says", ({ text, says }) => {
    const place = text === null ? path.join(folder.path, "gone.json") : file("x.json", text);
    const resolve = () => createModels({ env: {} }).resolve(`scripted:${place}`);
    expect(resolve).toThrow(says);
    expect(resolve).toThrow(expect.objectContaining({ errorClass: "config_error" }));
  });
});

describe("the wait before a retry", () => {
  const NOW = Date.parse("2030-01-01T00:00:00Z");
  test.each([
    { headers: { "Retry-After": "3" }, ms: 3_000 },
    { headers: { "retry-after": "Tue, 01 Jan 2030 00:00:05 GMT" }, ms: 5_000 },
    { headers: { "retry-after": "Mon, 31 Dec 2029 23:00:00 GMT" }, ms: 0 },
    { headers: { "retry-after-ms": "12.5" }, ms: 13 },
    { headers: { "retry-after": "3600" }, ms: 120_000 },
    { headers: { "retry-after": "" }, ms: undefined },
    { headers: undefined, ms: undefined },
  ])("$headers is $ms ms", ({ headers, ms }) => expect(retryAfterMs(headers as never, NOW)).toBe(ms));
});

describe("secrets in messages", () => {
  test.each([
    ["key secret-123 refused", "key [secret] refused"],
    ["Incorrect API key provided: sk-proj-abcd1234.", "Incorrect API key provided: [secret]"],
    ["Authorization: Bearer abc.def", "Authorization: [secret]"],
    ["AIzaSyA-123456789 is not valid", "[secret] is not valid"],
    ["at https://user:pass@host/v1?key=abc&x=1", "at https://[secret]host/v1?key=[secret]&x=1"],
    ["nothing to hide", "nothing to hide"],
  ])("%j is shown as %j", (text, told) => expect(redact(text, ["secret-123", ""])).toBe(told));

  test("a long message is cut", () => expect(redact("x".repeat(2_000))).toHaveLength(503));
});

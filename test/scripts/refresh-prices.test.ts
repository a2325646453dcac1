import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(__dirname, "../..");
let copy: string;
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), "navigator-prices-"));
  cpSync(path.join(root, "scripts"), path.join(copy, "scripts"), { recursive: true });
  mkdirSync(path.join(copy, "src/models"), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  write("src/models/price-table.json", {
    looked_up: "2020-01-01",
    prices: {
      "openai/gpt-5": { input: 1, output: 2 },
      "google/gemini-2.5-pro": { input: 1, output: 2 },
      "anthropic/claude-gone": { input: 7, output: 8 },
    },
  });
});
afterEach(() => rmSync(copy, { recursive: true }));

const write = (file: string, value: unknown) => writeFileSync(path.join(copy, file), JSON.stringify(value));
const table = () => JSON.parse(readFileSync(path.join(copy, "src/models/price-table.json"), "utf8")) as object;
const refresh = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/refresh-prices.mjs", ...args], { cwd: copy, encoding: "utf8" });

test("prices per token become prices per million; a model that the source lacks keeps its own and is named", () => {
  write("source.json", {
    "gpt-5": { input_cost_per_token: 1.25e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1.25e-7 },
    "google/gemini-2.5-pro": {
      input_cost_per_token: 1.25e-6,
      output_cost_per_token: 1e-5,
      input_cost_per_token_above_200k_tokens: 2.5e-6,
      output_cost_per_token_above_200k_tokens: 1.5e-5,
    },
  });
  const { stdout, status } = refresh("source.json");
  expect(status).toBe(0);
  expect(stdout).toContain("2 changed: openai/gpt-5, google/gemini-2.5-pro");
  expect(stdout).toContain("1 not in the source: anthropic/claude-gone");
  expect(table()).toEqual({
    looked_up: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    prices: {
      "openai/gpt-5": { input: 1.25, output: 10, cache_read: 0.125 },
      "google/gemini-2.5-pro": { input: 1.25, output: 10, long: { over: 200_000, input: 2.5, output: 15 } },
      "anthropic/claude-gone": { input: 7, output: 8 },
    },
  });
});

test.each([
  ["a negative price", { "gpt-5": { input_cost_per_token: -1, output_cost_per_token: 1 } }],
  ["a price that is a text", { "gpt-5": { input_cost_per_token: "1", output_cost_per_token: 1 } }],
])("%s changes nothing", (_what, source) => {
  write("source.json", source);
  const before = table();
  expect(refresh("source.json").status).not.toBe(0);
  expect(table()).toEqual(before);
});

test("without a source it says what to pass", () => {
  const { stderr, status } = refresh();
  expect(status).toBe(2);
  expect(stderr).toContain("npm run prices --");
});

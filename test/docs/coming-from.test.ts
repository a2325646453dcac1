import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { AgentFile } from "../../src/core/agent/definition/agent-file";
import { RunOptions } from "../../src/core/agent/definition/run-options";
import { ERROR_CODES } from "../../src/core/base/error-codes";
import { PlanOptionsFile } from "../../src/core/plan/definition/options";
import { unmet } from "../../src/simulate/expectation";
import { runLisp } from "../../src/simulate/run-lisp";
import { parseAgentScenario, simulateAgent } from "../../src/simulate/simulate-agent";
import { parsePlanScenario, simulatePlan } from "../../src/simulate/simulate-plan";
import { examplesOf, runExample } from "../support/doc-examples";
import { connectInMemory, WITHOUT_TEMPORAL } from "../support/mcp/client";

/** The pages for users of the original projects: every example runs, and every name is there. */
const textOf = (page: string) => readFileSync(path.join(__dirname, "../../docs", page), "utf8");
const PTC = textOf("coming-from-ptcrunner.md");
const MCP = textOf("coming-from-navigator-mcp.md");

describe.each(["coming-from-ptcrunner.md", "coming-from-navigator-mcp.md"])("%s, code", (page) => {
  const tests = examplesOf(page).flatMap((code) => runExample(code).tests);
  test.each(tests)("%s", async (_, run) => void (await run()));
  test("there are examples", () => expect(tests.length).toBeGreaterThan(1));
});

const scenarios = [...PTC.matchAll(/```yaml\n([\s\S]*?)\n```\n/g)].map(([, yaml]) => parse(yaml as string));
test.each(scenarios)("$about", async (scenario) => {
  expect(scenario.expect).toBeDefined();
  if ("plan" in scenario) {
    const read = parsePlanScenario(scenario);
    if (!read.ok) throw new Error(read.fail.message);
    const answer = await simulatePlan(read.value);
    return expect(unmet(scenario.expect, answer.ok ? answer.value : answer)).toEqual([]);
  }
  const read = parseAgentScenario(scenario);
  if (!read.ok) throw new Error(read.fail.message);
  return expect(unmet(scenario.expect, await simulateAgent(read.value))).toEqual([]);
});

const lines = [...PTC.matchAll(/^(\(.*) ;(=>|!!) (.*)$/gm)].map(([, code, kind, says]) => ({ code, kind, says }));
test.each(lines)("$code $says", ({ code, kind, says }) => {
  const { ok, fail } = runLisp(`(pr-str ${code})`);
  expect(kind === "=>" ? ok : fail?.details?.code).toBe(says);
});
test("there are lines of the language", () => expect(lines.length).toBeGreaterThan(3));

/** The names in backticks below a heading, up to the next one. */
const namesBelow = (text: string, heading: string): string[] =>
  [...((text.split(`\n## ${heading}\n`)[1] ?? "").split(/\n## |\n```/)[0] ?? "").matchAll(/`([a-z_]+)`/g)].map(
    ([, name]) => name as string,
  );

test("every option of an agent is on the page", () => {
  const named = namesBelow(PTC, "Options of an agent");
  const original = [
    "prompt",
    "signature",
    "tools",
    "max_turns",
    "retry_turns",
    "turn_budget",
    "max_depth",
    "timeout",
    "mission_timeout",
    "pmap_timeout",
    "pmap_max_concurrency",
    "max_heap",
    "memory_limit",
    "memory_strategy",
    "max_tool_calls",
    "llm",
    "llm_retry",
    "system_prompt",
    "prompt_limit",
    "name",
    "description",
    "field_descriptions",
    "context_descriptions",
    "format_options",
    "float_precision",
    "compression",
    "thinking",
    "output",
    "llm_query",
    "builtin_tools",
    "plan",
    "journaling",
  ];
  expect(original.filter((name) => !named.includes(name))).toEqual([]);
  const ours = [...Object.keys(AgentFile().shape), "llm"];
  expect(original.filter((name) => !ours.includes(name))).toEqual([]);
});

test("every option of a run is on the page", () => {
  const named = namesBelow(PTC, "Options of a run");
  const original = [
    "token_limit",
    "on_budget_exceeded",
    "trace",
    "collect_messages",
    "cache",
    "llm_retry",
    "tool_cache",
    "max_heap",
    "context_signature",
    "llm_registry",
    "on_chunk",
    "budget",
  ];
  expect(original.filter((name) => !named.includes(name))).toEqual([]);
  expect(original.filter((name) => !Object.keys(RunOptions().shape).includes(name))).toEqual([]);
});

test("every option of a plan is on the page", () => {
  const named = namesBelow(PTC, "Options of a plan");
  const ours = Object.keys(PlanOptionsFile().shape);
  const original = ours.filter((name) => !["check_plans", "planner_timeout", "journal"].includes(name));
  expect(original.filter((name) => !named.includes(name))).toEqual([]);
});

test("every tool that the page names is offered", async () => {
  const mcp = await connectInMemory(WITHOUT_TEMPORAL);
  const offered = (await mcp.client.listTools()).tools.map(({ name }) => name);
  await mcp.close();
  const below = (MCP.split("\n## The twelve tools\n")[1] ?? "").split("\n\n|")[0] ?? "";
  const named = [...below.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name as string);
  expect(named.length).toBeGreaterThan(19);
  expect(named.filter((name) => !offered.includes(name))).toEqual([]);
});

test("every code that the pages name exists", () => {
  const codes = ["llm_registry_required", "chain_error", "eval_error"];
  expect(codes.filter((code) => !(code in ERROR_CODES))).toEqual([]);
});

describe("what shows it, for users of other systems", () => {
  const root = path.join(__dirname, "../..");
  const shown = textOf("coming-from-other-systems.md").split("\n## What shows it\n")[1] ?? "";
  const named = [...shown.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
  const isThere = (name: string): boolean => {
    if (name.startsWith("test/")) {
      // As Jest takes it: the beginning of a path.
      const { dir, base } = path.parse(path.join(root, name));
      return existsSync(dir) && readdirSync(dir).some((entry) => entry.startsWith(base));
    }
    const script = /^npm run (\S+)$/.exec(name)?.[1];
    if (script !== undefined)
      return script in JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).scripts;
    const file = /^node (\S+)$/.exec(name)?.[1];
    return file === undefined || existsSync(path.join(root, file));
  };

  test("every test and script that the page names is there", () => {
    expect(named.filter((name) => name.startsWith("test/")).length).toBeGreaterThan(40);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});

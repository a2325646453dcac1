import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { missionsText } from "../../src/cli/show/render-missions";
import { createColors } from "../../src/cli/terminal/render";
import { AgentFile } from "../../src/core/agent/definition/agent-file";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { RunOptions } from "../../src/core/agent/definition/run-options";
import type { Json } from "../../src/core/base/json";
import { projectJournal } from "../../src/core/history/read/project";
import { storyOf } from "../../src/core/history/trace/story";
import { unmet } from "../../src/simulate/expectation";
import { parseAgentScenario, simulateAgent } from "../../src/simulate/simulate-agent";
import { readRecorded } from "../support/recorded";

/** The agents' reference says what is so: its examples run, its tables name what there is. */
const text = readFileSync(path.join(__dirname, "../../docs/agents.md"), "utf8");

const examples = [...text.matchAll(/```yaml\n([\s\S]*?)\n```\n/g)].map((match) => parse(match[1] as string));

test.each(examples.map((example) => ({ example })))("$example.about", async ({ example }) => {
  const scenario = parseAgentScenario(example);
  if (!scenario.ok) throw new Error(scenario.fail.message);
  expect(scenario.value.expect).toBeDefined();
  expect(unmet(scenario.value.expect, await simulateAgent(scenario.value))).toEqual([]);
});

test("there are examples", () => expect(examples.length).toBeGreaterThan(5));

/** The rows of the table below a heading: its cells without the spaces around them. */
function table(heading: string): string[][] {
  const section = (text.split(`\n## ${heading}\n`)[1] ?? "").split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map((row) =>
    (row[1] as string).split(/ +\| /).map((cell) => cell.trim()),
  );
}
const nameOf = ([cell = ""]: string[]): string => cell.replaceAll("`", "");

describe("the options of a definition", () => {
  const rows = table("Options of the definition");
  test("are the existing ones", () => expect(rows.map(nameOf).sort()).toEqual(Object.keys(AgentFile().shape).sort()));

  const parsed = parseAgent({ prompt: "Do it." });
  const defaults = (parsed.ok ? parsed.value : {}) as { [option: string]: unknown };
  const told = rows.filter((row) => nameOf(row) !== "prompt" && nameOf(row) !== "format_options");
  test.each(told.map((row) => ({ option: nameOf(row), says: row[1] as string })))(
    "$option: $says",
    ({ option, says }) => {
      const found = defaults[option];
      const shown = found === undefined ? "none" : `\`${typeof found === "string" ? found : JSON.stringify(found)}\``;
      expect(says).toBe(shown);
    },
  );

  test("the format options are the existing ones", () => {
    for (const [option, value] of Object.entries(defaults.format_options as object))
      expect(text).toContain(`\`${option}: ${value}\``);
  });
});

test("the options of a run are the existing ones", () => {
  const others = ["context", "journal", "model", "on_waiting"];
  const shape = RunOptions().shape;
  expect(table("Options of a run").map(nameOf).sort()).toEqual([...Object.keys(shape), ...others].sort());
});

test("the log in the text is what navigator log prints for a recorded run", () => {
  const history = readRecorded("agent-tool-fails.json") as unknown as Json;
  const tree = { projection: projectJournal(history), story: storyOf([history]), children: [] };
  const printed = missionsText({ workflow_id: "agent/order-7", ...tree }, false, createColors(false, {}));
  const section = text.split("\n## The log\n")[1] ?? "";
  const [before = "", after = "?"] = (/```text\n([\s\S]*?)\n```/.exec(section)?.[1] ?? "").split("\n...\n");
  expect(printed.startsWith(before)).toBe(true);
  expect(printed.endsWith(after)).toBe(true);
});

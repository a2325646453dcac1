import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { PlanOptionsFile, parsePlanOptions } from "../../src/core/plan/definition/options";
import { unmet } from "../../src/simulate/expectation";
import { parsePlanScenario, simulatePlan } from "../../src/simulate/simulate-plan";

/** The plans' reference says what is so: its examples run, its tables name what there is. */
const text = readFileSync(path.join(__dirname, "../../docs/plans.md"), "utf8");
const source = (file: string) => readFileSync(path.join(__dirname, "../../src/core/plan", file), "utf8");
const examples = [...text.matchAll(/```yaml\n([\s\S]*?)\n```\n/g)].map((match) => parse(match[1] as string));

test.each(examples.map((example) => ({ example })))("$example.about", async ({ example }) => {
  const scenario = parsePlanScenario(example);
  if (!scenario.ok) throw new Error(scenario.fail.message);
  expect(scenario.value.expect).toBeDefined();
  const answer = await simulatePlan(scenario.value);
  expect(unmet(scenario.value.expect, answer.ok ? answer.value : answer)).toEqual([]);
});

test("there are examples", () => expect(examples.length).toBeGreaterThan(3));

/** The rows of the table below a heading. */
const table = (heading: string): string[][] =>
  [...((text.split(`\n## ${heading}\n`)[1] ?? "").split("\n## ")[0] ?? "").matchAll(/^\| (`.*) \|$/gm)].map((row) =>
    (row[1] as string).split(/ +\| /).map((cell) => cell.trim()),
  );
const bare = (cell = ""): string => cell.replaceAll("`", "");

describe("the options", () => {
  const rows = table("Options");
  test("are the existing ones", () =>
    expect(rows.map(([name]) => bare(name)).sort()).toEqual(Object.keys(PlanOptionsFile().shape).sort()));
  const read = parsePlanOptions({});
  const defaults = (read.ok ? read.value : {}) as unknown as { [option: string]: unknown };
  test.each(rows.map(([name, says]) => ({ name: bare(name), says: bare(says) })))("$name: $says", ({ name, says }) => {
    const value = defaults[name];
    const none = value === undefined || (typeof value === "object" && value !== null) || says === "none";
    expect(says).toBe(none ? "none" : typeof value === "string" ? value : JSON.stringify(value));
    if (none) expect([undefined, null, "[]", "{}"]).toContainEqual(value && JSON.stringify(value));
  });
});

const words = (code: string, pattern: RegExp) => [...code.matchAll(pattern)].map((match) => match[1] as string);

test("every event is documented (plan reference, section 6)", () => {
  const reference = readFileSync(path.join(__dirname, "../../docs/reference/plan.md"), "utf8");
  const events = reference.split("\n## 6. Events\n")[1]?.split("\n## ")[0] ?? "";
  const types = words(source("run/events.ts"), /\{ type: "(\w+)"/g);
  expect(types.length).toBeGreaterThan(15);
  expect(types.filter((type) => !events.includes(`- \`${type}\``))).toEqual([]);
});

test("every finding of the check is documented", () => {
  const list = (code: string, name: string) =>
    words(code.split(`export type ${name} =`)[1]?.split(";")[0] ?? "", /"(\w+)"/g);
  const categories = [
    ...list(source("definition/plan.ts"), "IssueCategory"),
    ...list(source("definition/plan.ts"), "CheckCategory"),
  ];
  expect(categories.length).toBeGreaterThan(25);
  const told = categories.filter((category) => !["repeated_plan", "changed_review"].includes(category));
  expect(told.filter((category) => !text.includes(`\`${category}\``))).toEqual([]);
});

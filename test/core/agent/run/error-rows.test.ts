import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../../../src/cli/input/scenario-file";
import { RUN_REASONS } from "../../../../src/core/agent/result/run-reasons";
import { modelCallsOf, type Step } from "../../../../src/core/agent/result/step";
import { isObject } from "../../../../src/core/base/is-object";
import { unmet } from "../../../../src/simulate/expectation";
import { simulateAgent } from "../../../../src/simulate/simulate-agent";
import { CONSTRUCTION_ROWS, ROWS, type Row } from "./error-rows";
import { run } from "./mission";

/**
 * Every row of the tables of reasons (agent reference, sections 21-24) is provoked for real: by a scenario, which also
 * says what stays in journal, memory and summaries, or by a test that is named here.
 */
const root = path.join(__dirname, "../../../..");

const scenarioRows = ROWS.filter((row): row is Row & { scenario: string } => row.scenario !== undefined);

/** Where a reason shows. */
const FOUND: { [where in Row["where"]]: (step: Step, reason: string) => boolean } = {
  end: ({ fail }, reason) => fail?.reason === reason,
  turn: ({ turns }, reason) =>
    (turns ?? []).some(({ success, result }) => !success && isObject(result) && result.reason === reason),
  child: ({ child_steps }, reason) =>
    child_steps.some((child) => FOUND.end(child, reason) || FOUND.child(child, reason)),
  warning: ({ warnings }, reason) => warnings.some(({ code }) => code === reason),
};

describe.each(scenarioRows)("$section $reason ($where): $scenario", ({ scenario: file, reason, where }) => {
  const scenario = readAgentScenario(path.join(root, "test/scenarios", `${file}.yaml`));
  const expected = (scenario.expect?.step ?? {}) as { [field: string]: unknown };

  test("the scenario ends with the reason, or passes through it", async () => {
    const simulation = await simulateAgent(readAgentScenario(path.join(root, "test/scenarios", `${file}.yaml`)));
    expect(unmet(scenario.expect, simulation)).toEqual([]);
    expect(FOUND[where](simulation.step, reason)).toBe(true);
  });

  test("the scenario checks what is kept", () => {
    if (where === "child" || where === "warning") return;
    const whole = expect.objectContaining({ $only: expect.any(Object) });
    expect(expected).toMatchObject({ journal: whole, memory: whole, summaries: whole });
    if (where === "end") expect(expected.fail).toMatchObject({ reason, message: expect.any(String) });
  });
});

describe("a reason that a test provokes", () => {
  test.each(ROWS.filter((row) => row.test !== undefined))("$section $reason: $test", ({ test: place = "" }) => {
    const [file = "", title = ""] = place.split(": ");
    expect(existsSync(path.join(root, file))).toBe(true);
    expect(readFileSync(path.join(root, file), "utf8")).toContain(title);
  });
});

describe("the rows are complete", () => {
  test("the rows contain every reason of the engine, and no other", () => {
    // A program's own, and a warning.
    const outside = ["too_dear", "missing_journal"];
    const named = new Set(ROWS.map(({ reason }) => reason).filter((reason) => !outside.includes(reason)));
    expect([...named].sort()).toEqual(Object.keys(RUN_REASONS).sort());
  });

  test.each([
    { section: 21, rows: 16 },
    { section: 22, rows: 18 },
    { section: 23, rows: 7 },
  ])("section $section has $rows", ({ section, rows }) =>
    expect(new Set(ROWS.filter((row) => row.section === section).map(({ row }) => row)).size).toBe(rows),
  );

  test.each(CONSTRUCTION_ROWS)("24 $row: $title", ({ file, title }) =>
    expect(readFileSync(path.join(root, file), "utf8")).toContain(title),
  );
});

describe("reasons without a scenario", () => {
  test("more than 10,000 symbols are refused before the program runs; records and definitions are unchanged", async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => `:k${i}`).join(" ");
    const { step } = await run({
      journal: {},
      says: ["(def a 1)", `(do (task "t" 1) (def b [${many}]))`, "(return a)"],
    });
    expect(step).toMatchObject({ return: 1, journal: {}, memory: { a: 1 }, summaries: {} });
    expect(step.turns?.[1]).toMatchObject({
      success: false,
      result: { reason: "symbol_limit_exceeded", message: expect.stringContaining("10000") },
    });
  });

  test("a child without turns left ends before its model is called", async () => {
    const { step, host } = await run({ remaining_turns: 0, journal: { t: 1 }, says: [] });
    expect(step).toMatchObject({
      fail: { reason: "turn_budget_exhausted", message: expect.stringContaining("before the first turn") },
      journal: { t: 1 },
      memory: {},
      summaries: {},
      usage: { turns: 0, memory_bytes: 0 },
    });
    expect([host.sent, modelCallsOf(step)]).toEqual([[], 0]);
  });

  test("a worker may not know a model's name", async () => {
    const { step } = await run({
      journal: { t: 1 },
      says: [{ error: { class: "llm_not_found", message: "no model a/b here" } }],
    });
    expect(step).toMatchObject({ fail: { reason: "llm_not_found", message: "no model a/b here" }, journal: { t: 1 } });
  });
});

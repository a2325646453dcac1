import { writeFileSync } from "node:fs";
import path from "node:path";
import { checkPlanFile, planCheckText } from "../../src/cli/commands/plan/plan";

import { readPlanFile } from "../../src/cli/input/plan-file";
import { readPlanScenario } from "../../src/cli/input/scenario-file";
import { planSimulationText } from "../../src/cli/show/render-plan";
import { createColors } from "../../src/cli/terminal/render";
import { unmet } from "../../src/simulate/expectation";
import { simulatePlan } from "../../src/simulate/simulate-plan";
import { temporaryFolder } from "../support/environment";

/** The example plan: checked, simulated, and checked again with mistakes in it. */
const folder = path.join(__dirname, "../../examples/plans");
const plain = createColors(false, {});

test("the scenario meets its expectations, and its events are printed", async () => {
  const scenario = readPlanScenario(path.join(folder, "lamps-scenario.yaml"));
  const answer = await simulatePlan(scenario);
  if (!answer.ok) throw new Error(answer.fail.message);
  expect(unmet(scenario.expect, answer.value)).toEqual([]);
  expect(planSimulationText(answer.value, plain)).toContain("[START] rows\n✓ rows (120 ms)\n[START] total");
});

test("the plan is valid, and its cost is printed", async () => {
  const world = { project: process.cwd(), model: "anthropic/claude-sonnet-5" };
  const checked = await checkPlanFile(readPlanFile(path.join(folder, "lamps.yaml")), world);
  expect(checked).toMatchObject({ ok: true, tasks: 4, cost: { model_calls: 20, agent_runs: 5 } });
  expect(checked.cost?.cost).toBeGreaterThan(1);
  expect(planCheckText(checked, plain)).toContain("cost at most: $");
});

test("mistakes are reported with line and field, under the names in the file", async () => {
  const own = temporaryFolder("plans");
  const file = path.join(own.path, "plan.yaml");
  writeFileSync(
    file,
    `options:
  base_tools: [search]
plan:
  workers:
    finder: { role: You find., capabilities: [serach] }
  steps:
    - name: a
      worker: finder
      query: See {{results.b}}
    - name: b
      requires: [a]
      output_signature: "{n int}"
`,
  );
  const { ok, findings } = await checkPlanFile(readPlanFile(file), { project: process.cwd() });
  expect(ok).toBe(false);
  expect(findings.filter(({ severity }) => severity === "error")).toMatchObject([
    { category: "missing_tool", line: 5, path: "plan.workers.finder", task_id: "a" },
    { category: "template_not_upstream", line: 9, path: "plan.steps[0].query", task_id: "a" },
    { category: "invalid_signature", line: 12, path: "plan.steps[1].output_signature", task_id: "b" },
  ]);
  own.remove();
});

test("bad options of a plan file are refused with their line", () => {
  const own = temporaryFolder("plans");
  const file = path.join(own.path, "plan.yaml");
  writeFileSync(file, "options:\n  max_turns: 0\n  timeouts: 1\nplan: { tasks: [] }\n");
  expect(() => readPlanFile(file)).toThrow(/line 2: options.max_turns: must be a positive integer[\s\S]*line 3/);
  own.remove();
});

import { readdirSync } from "node:fs";
import path from "node:path";
import { readPlanScenario } from "../../src/cli/input/scenario-file";
import { unmet } from "../../src/simulate/expectation";
import { simulatePlan } from "../../src/simulate/simulate-plan";

/** Every scenario of a plan holds what it says it does, without a server. */
const FOLDER = path.join(__dirname, "../scenarios-plan");

test.each(readdirSync(FOLDER).sort())("%s meets its expectations", async (file) => {
  const scenario = readPlanScenario(path.join(FOLDER, file));
  expect(scenario.about).toBeDefined();
  expect(scenario.expect).toBeDefined();
  const answer = await simulatePlan(scenario);
  expect(unmet(scenario.expect, answer.ok ? answer.value : answer)).toEqual([]);
});

import { readdirSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../src/cli/scenario-file";
import { unmet } from "../../src/simulate/expectation";
import { simulateAgent } from "../../src/simulate/simulate-agent";

/** Every scenario holds what it says it does, without a server; test/workflows runs them on one, too. */
const FOLDER = path.join(__dirname, "../scenarios");

test.each(readdirSync(FOLDER).filter((file) => file.endsWith(".yaml")))("%s", async (file) => {
  const scenario = readAgentScenario(path.join(FOLDER, file));
  expect(scenario.about).toBeDefined();
  expect(scenario.expect).toBeDefined();
  expect(unmet(scenario.expect, await simulateAgent(scenario))).toEqual([]);
});

import { readdirSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../src/cli/input/scenario-file";
import type { Step } from "../../src/core/agent/result/step";
import { MISSION_LOG_HEADING } from "../../src/core/journal/mission-log";
import { unmet } from "../../src/simulate/expectation";
import { simulateAgent } from "../../src/simulate/simulate-agent";

/** Every scenario holds what it says it does, without a server; test/workflows runs them on one, too. */
const FOLDER = path.join(__dirname, "../scenarios");
const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml"));

describe.each(files)("%s", (file) => {
  const scenario = readAgentScenario(path.join(FOLDER, file));
  const running = simulateAgent(scenario);

  test("meets its expectations", async () => {
    expect(scenario.about).toBeDefined();
    expect(scenario.expect).toBeDefined();
    expect(unmet(scenario.expect, await running)).toEqual([]);
  });

  test("meets the invariants of every run (agent reference, section 19)", async () => {
    const { step, messages } = await running;
    for (const one of family(step)) {
      expect(one.return === null || one.fail === null).toBe(true);
      expect(JSON.parse(JSON.stringify(one))).toEqual(one);
      if (one.turns !== null && endsInATurn(one)) expect(one.usage?.turns ?? 0).toBe(one.turns.length);
    }
    const systems = messages.filter(({ role, agent }) => role === "system" && agent === undefined);
    const constant = systems.map(({ content }) => content.split(MISSION_LOG_HEADING)[0]?.trimEnd());
    expect(new Set(constant).size).toBeLessThan(2);
  });
});

const family = (step: Step): Step[] => [step, ...step.child_steps.flatMap(family)];

/** A turn that no model answered, or whose answer came too dear, has no record. */
function endsInATurn({ fail, usage }: Step): boolean {
  const noRecord = ["llm_error", "llm_not_found", "mission_timeout", "budget_callback_exceeded", "price_unknown"];
  return usage?.fallback_used !== true && !noRecord.includes(fail?.reason ?? "");
}

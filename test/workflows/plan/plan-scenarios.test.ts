import { readPlanScenario } from "../../../src/cli/input/scenario-file";
import { unmet } from "../../../src/simulate/expectation";
import { type PlanSimulation, simulatePlan } from "../../../src/simulate/simulate-plan";
import { runPlanOn } from "../../../src/testing/plan-on-temporal";
import { useScenarioStage } from "../../support/scenario-stage";
import { stepEssence } from "../../support/step-essence";

/**
 * One behaviour, two hosts, for plans: every scenario of test/scenarios-plan holds what it says it does, and memory and
 * Temporal answer the same, ids and times aside.
 */
type Answer = Awaited<ReturnType<typeof simulatePlan>>;
const RECORDED = [
  "base-tools",
  "direct",
  "example-2",
  "executor-generation-failed",
  "executor-no-replans",
  "executor-review-asked-again",
  "executor-waiting-after-repair",
  "gate",
  "initial-results",
  "journal",
  "llm-fallback",
  "max-concurrency",
  "on-failure",
  "on-failure-siblings",
  "output-lisp-without-tools",
  "output-text-with-tools",
  "planner",
  "planner-fails",
  "planner-retry",
  "planner-timeout",
  "pmap",
  "quality-gate-error",
  "quality-gate-failed",
  "quality-gate-passed",
  "refused-by-executor",
  "replan-after-retries",
  "replan-deliberate",
  "replan-siblings",
  "retry",
  "retry-both-kinds",
  "reviews-again",
  "reviews-return",
  "reviews-wait",
  "timeout-task",
  "verification-crashed",
  "verification-retry",
  "verification-skip",
  "verification-stop",
  "waiting-first",
];
const { files, pathOf, onTemporal } = useScenarioStage("scenarios-plan", "plan", RECORDED, (stage, file, id) =>
  runPlanOn(stage, readPlanScenario(file), id),
);

test("every recorded scenario exists", () =>
  expect(RECORDED.filter((name) => !files.includes(`${name}.yaml`))).toEqual([]));

test.each(files)("%s", async (file) => {
  const scenario = readPlanScenario(pathOf(file));
  const inMemory = await simulatePlan(scenario);
  expect(scenario).toMatchObject({ about: expect.anything(), expect: expect.anything() });
  expect(unmet(scenario.expect, inMemory.ok ? inMemory.value : inMemory)).toEqual([]);
  expect(essence(await onTemporal(file))).toEqual(essence(inMemory));
});

/** Without what must differ: ids, times, durations. Agents that a run has as tools ask their models in any order. */
function essence(answer: Answer): unknown {
  if (!answer.ok) return answer;
  return stepEssence({ ...answer.value, messages: ownFirst(answer.value.messages) });
}

/** Run by run what its own agent was sent, in order; then what those below it were. */
function ownFirst(messages: PlanSimulation["messages"]): PlanSimulation["messages"] {
  const keyed = messages.map((message, i) => ({
    message,
    key: [message.run, message.agent === undefined ? String(i).padStart(6, "0") : `~${JSON.stringify(message)}`],
  }));
  return keyed.sort((a, b) => (a.key.join("\n") < b.key.join("\n") ? -1 : 1)).map(({ message }) => message);
}

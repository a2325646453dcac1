import type { Result } from "../../../core/base/failure";
import { valueOrThrow } from "../../../core/base/navigator-error";
import { type Unmet, unmet } from "../../../simulate/expectation";
import { type PlanScenario, type PlanSimulation, simulatePlan } from "../../../simulate/simulate-plan";
import { readPlanScenario } from "../../input/scenario-file";
import { planSimulationText } from "../../show/render-plan";
import type { CommandSpec } from "../../terminal/command";
import { EXIT, type ExitCode } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator simulate plan`: runs a plan in memory, with scripted replies for all its agents. */
export const simulatePlanCommands: readonly CommandSpec[] = [
  {
    name: "plan <file>",
    about: "simulate a plan with scripted model replies, tool stubs and decisions; - reads stdin",
    options: [["--temporal", "run on a Temporal server instead of in memory"]],
    notes: `A scenario is YAML or JSON: {plan, options?, model: {AGENT: [REPLY, ...], default?: [...]}, tools?: {NAME: STUB}, reviews?, expect?}.
PLAN is a plan, or the path of its file from the scenario's folder; without one the planner makes one for the \`mission\`.
The key of a list of replies is an agent's name (planner and quality_gate are agents, too) or a task's id.
REVIEWS are decisions by task id; a review without one ends the run and is reported.
"executor": true adds replanning, with its options. DECISIONS are answers of people, with on_review: wait.
REPLY, STUB and EXPECT are as in \`simulate agent\`.

With --temporal the same plan on a Temporal server, with a worker of its own: both results must be equal, except for times.

Exit codes: 0 done, 1 failed or not as expected, 4 waiting for a person.`,
    examples: ["navigator simulate plan examples/plans/lamps-scenario.yaml"],
    run: async (io: CommandIo, file: string, options: { temporal?: boolean }) => {
      const scenario = readPlanScenario(file);
      if (!options.temporal) return tell(io, scenario, await simulatePlan(scenario));
      // In memory nothing of Temporal is loaded.
      const [{ simulateForReal }, { simulatePlanOnTemporal }] = await Promise.all([
        import("../../session/simulate-for-real"),
        import("../../../testing/plan-on-temporal"),
      ]);
      await simulateForReal(io, async (place) => {
        const answer = await simulatePlanOnTemporal(scenario, place);
        return tell(io, scenario, answer, ({ path }) => !TIMES.test(path));
      });
    },
  },
];

/** On a server these are the clock's. */
const TIMES = /(^|\.)(total_)?duration_ms$/;

/** Shows the result. A scenario with expectations fails only if they are not met. */
async function tell(
  io: CommandIo,
  scenario: PlanScenario,
  answered: Result<PlanSimulation>,
  counts: (difference: Unmet) => boolean = () => true,
): Promise<ExitCode> {
  const simulation = valueOrThrow(answered);
  const { messages: _, ...answer } = simulation;
  io.result(answer, () => planSimulationText(simulation, io.color));
  if (scenario.expect === undefined) return EXIT_OF[simulation.status];
  const differences = unmet(scenario.expect, simulation).filter(counts);
  for (const { path, expected, found } of differences)
    io.err(`${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found) ?? "nothing"}`);
  return differences.length === 0 ? EXIT.done : EXIT.failed;
}

const EXIT_OF: { [status in PlanSimulation["status"]]: ExitCode } = {
  ok: EXIT.done,
  waiting: EXIT.waiting,
  error: EXIT.failed,
  replan_required: EXIT.failed,
};

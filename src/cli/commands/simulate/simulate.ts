import { type PlanStep, renderProgress } from "../../../core/agent/prompt/progress";
import type { Turn } from "../../../core/agent/result/step";
import type { Result } from "../../../core/base/failure";
import { valueOrThrow } from "../../../core/base/navigator-error";
import { renderMissionLog } from "../../../core/journal/mission-log";
import { type Unmet, unmet } from "../../../simulate/expectation";
import { type AgentScenario, type AgentSimulation, simulateAgent } from "../../../simulate/simulate-agent";
import { type PlanScenario, type PlanSimulation, simulatePlan } from "../../../simulate/simulate-plan";
import { readAgentScenario, readPlanScenario } from "../../input/scenario-file";
import { planSimulationText } from "../../show/render-plan";
import { renderStep } from "../../show/render-step";
import { indented, valueText } from "../../show/values";
import type { CommandSpec, TopCommands } from "../../terminal/command";
import { EXIT, type ExitCode } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import type { Colors } from "../../terminal/render";

/** `navigator simulate plan`: runs a plan in memory, with scripted replies for all its agents. */
const planCommand: CommandSpec = {
  name: "plan <file>",
  about: "simulate a plan with scripted model replies, tool stubs and decisions; - reads stdin",
  options: [["--temporal", "run on a Temporal server instead of in memory"]],
  notes: `A scenario is YAML or JSON: {plan, options?, model: {AGENT: [REPLY, ...], default?: [...]}, tools?: {NAME: STUB}, reviews?, expect?}.
PLAN is a plan, or the path of its file from the scenario's folder; without one the planner makes one for the \`mission\`.
The key of a list of replies is an agent's name (planner and quality_gate are agents, too) or a task's id.
REVIEWS are decisions by task id; a review without one ends the run and is reported.
"executor": true adds replanning, with its options. DECISIONS are answers of people, with on_review: wait.
REPLY, STUB and EXPECT are as in \`simulate agent\`.

With --temporal the same plan on a Temporal server, with a separate worker: both results must be equal, except for times.

Exit codes: 0 done, 1 failed or not as expected, 4 waiting for a person.`,
  examples: ["navigator simulate plan examples/plans/lamps-scenario.yaml"],
  run: async (io: CommandIo, file: string, options: { temporal?: boolean }) => {
    const scenario = readPlanScenario(file);
    if (!options.temporal) return showPlan(io, scenario, await simulatePlan(scenario));
    // In memory nothing of Temporal is loaded.
    const [{ simulateForReal }, { simulatePlanOnTemporal }] = await Promise.all([
      import("../../session/simulate-for-real"),
      import("../../../testing/plan-on-temporal"),
    ]);
    await simulateForReal(io, async (place) => {
      const answer = await simulatePlanOnTemporal(scenario, place);
      return showPlan(io, scenario, answer, ({ path }) => !TIMES.test(path));
    });
  },
};

/** `navigator simulate`: runs scenarios in memory without a server, or on a real server. */
export const simulateCommands: TopCommands = {
  simulate: {
    commands: [
      planCommand,
      {
        name: "agent <file>",
        about: "simulate one agent run with scripted model replies and tool stubs; - reads stdin",
        options: [["--temporal", "run on a Temporal server instead of in memory"]],
        notes: `A scenario is YAML or JSON: {agent, context?, journal?, model: [REPLY, ...], tools?: {NAME: STUB}, options?, expect?}.
AGENT is an agent, or the path of an agent file from the scenario's folder.
REPLY is a text, {content, tokens?}, {chunks: [text]}, {tool_calls: [{name, args}]} or {error: {class, message}}.
STUB is {kind: const, value}, {kind: echo}, {kind: error, message} or {kind: sequence, values}; delay_ms makes it take that long.
llm is the name of the run's model (default: scripted); null means no model.
OPTIONS are those of a run: llm_retry, token_limit, tool_cache, collect_messages, initial_messages, ...
EXPECT is the part of the result to check: {step: {return: ...}}; "...text..." matches every text that
contains it. Unmet expectations are listed, with exit code 1.

With --temporal the same runs on a Temporal server, with a separate worker: both results must be equal.`,
        examples: ["navigator simulate agent examples/order/scenarios/charge.yaml"],
        run: async (io: CommandIo, file: string, options: { temporal?: boolean }) => {
          const scenario = readAgentScenario(file);
          if (!options.temporal) return showAgent(io, scenario, await simulateAgent(scenario));
          // In memory nothing of Temporal is loaded.
          const [{ simulateForReal }, { simulateOnTemporal }] = await Promise.all([
            import("../../session/simulate-for-real"),
            import("../../../testing/on-temporal"),
          ]);
          await simulateForReal(io, async (place) =>
            showAgent(io, scenario, await simulateOnTemporal(scenario, place)),
          );
        },
      },
    ],
  },
};

/** Shows the result. */
function showAgent(io: CommandIo, scenario: AgentScenario, simulation: AgentSimulation): ExitCode {
  const { calls: _, chunks, ...rest } = simulation;
  const answer = chunks.length === 0 ? rest : { ...rest, chunks };
  io.result(answer, () => simulationText(simulation, scenario.agent.plan, io.color));
  if (scenario.expect === undefined) return simulation.step.fail === null ? EXIT.done : EXIT.failed;
  return asExpected(io, unmet(scenario.expect, simulation));
}

/** On a server these are the clock's. */
const TIMES = /(^|\.)(total_)?duration_ms$/;

function showPlan(
  io: CommandIo,
  scenario: PlanScenario,
  answered: Result<PlanSimulation>,
  counts: (difference: Unmet) => boolean = () => true,
): ExitCode {
  const simulation = valueOrThrow(answered);
  const { messages: _, ...answer } = simulation;
  io.result(answer, () => planSimulationText(simulation, io.color));
  if (scenario.expect === undefined) return EXIT_OF[simulation.status];
  return asExpected(io, unmet(scenario.expect, simulation).filter(counts));
}

/** A scenario with expectations fails only if they are not met. */
function asExpected(io: CommandIo, differences: readonly Unmet[]): ExitCode {
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

/** A simulated run as text: the effects of each turn, then the result. */
function simulationText({ step }: AgentSimulation, plan: readonly PlanStep[], color: Colors): string {
  const records = Object.entries(step.journal ?? {}).map(([id, value]) => ({ id, value }));
  const written = {
    mission_log: renderMissionLog(records),
    progress: renderProgress(plan, new Map(Object.entries(step.summaries))),
  };
  return [...(step.turns ?? []).map((turn) => `${turnText(turn, color)}\n`), renderStep(step, written, color)].join(
    "\n",
  );
}

function turnText(turn: Turn, color: Colors): string {
  const sign = turn.success ? color.green("ok") : color.red("failed");
  return [
    `${color.bold(`Turn ${turn.number}`)}  ${sign}`,
    ...turn.tool_calls.map(({ name, args }) => `  called ${name}${argsText(args)}`),
    ...turn.prints.map((line) => indented(`printed ${line.replaceAll("\n", "\n        ")}`)),
    ...(turn.success ? [] : [indented(valueText(turn.result))]),
  ].join("\n");
}

/** ` with order_id 42, amount 4990`. */
function argsText(args: Turn["tool_calls"][number]["args"]): string {
  const list = Object.entries(args).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return list.length === 0 ? "" : ` with ${list.join(", ")}`;
}

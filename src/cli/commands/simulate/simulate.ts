import { unmet } from "../../../simulate/expectation";
import { type AgentScenario, type AgentSimulation, simulateAgent } from "../../../simulate/simulate-agent";
import { readAgentScenario } from "../../input/scenario-file";
import { simulationText } from "../../show/render-simulation";
import type { TopCommands } from "../../terminal/command";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { simulatePlanCommands } from "./plan";

/** `navigator simulate`: runs scenarios in memory without a server, or on a real server. */
export const simulateCommands: TopCommands = {
  simulate: {
    commands: [
      ...simulatePlanCommands,
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
holds it. What is not met is told, exit code 1.

With --temporal the same runs on a Temporal server, with a worker of its own: both results must be equal.`,
        examples: ["navigator simulate agent examples/order/scenarios/charge.yaml"],
        run: async (io: CommandIo, file: string, options: { temporal?: boolean }) => {
          const scenario = readAgentScenario(file);
          if (!options.temporal) return tell(io, scenario, await simulateAgent(scenario));
          // In memory nothing of Temporal is loaded.
          const [{ simulateForReal }, { simulateOnTemporal }] = await Promise.all([
            import("../../session/simulate-for-real"),
            import("../../../testing/on-temporal"),
          ]);
          await simulateForReal(io, async (place) => tell(io, scenario, await simulateOnTemporal(scenario, place)));
        },
      },
    ],
  },
};

/** Shows the result. A scenario with expectations fails only if they are not met. */
async function tell(io: CommandIo, scenario: AgentScenario, simulation: AgentSimulation): Promise<0 | 1> {
  const { calls: _, chunks, ...rest } = simulation;
  const answer = chunks.length === 0 ? rest : { ...rest, chunks };
  io.result(answer, () => simulationText(simulation, scenario.agent.plan, io.color));
  if (scenario.expect === undefined) return simulation.step.fail === null ? EXIT.done : EXIT.failed;
  const differences = unmet(scenario.expect, simulation);
  for (const { path, expected, found } of differences)
    io.err(`${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found) ?? "nothing"}`);
  return differences.length === 0 ? EXIT.done : EXIT.failed;
}

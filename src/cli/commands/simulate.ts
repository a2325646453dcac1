import type { Command } from "commander";
import { EXIT } from "../exit";
import type { CommandIo } from "../io";

const EXAMPLE = `
A scenario is YAML or JSON: {agent, context?, journal?, model: [REPLY, ...], tools?: {NAME: STUB}}.
AGENT is an agent, or the path of an agent file from the scenario's folder.
REPLY is a text, {content, tokens?} or {error: {class, message}}.
STUB is {kind: const, value}, {kind: echo}, {kind: error, message} or {kind: sequence, values}.

Example:
  $ navigator simulate agent examples/order/scenarios/charge.yaml`;

/** `navigator simulate`: scenarios on the in-memory host, without any server. */
export function registerSimulate(program: Command, io: CommandIo): void {
  const simulate = program.command("simulate").description("run a scenario in memory, without any server");
  simulate
    .command("agent <file>")
    .description("one agent run with scripted model replies and tool stubs; - reads stdin")
    .addHelpText("after", EXAMPLE)
    .action(async (file: string) => {
      const [{ readAgentScenario }, { simulateAgent }, { simulationText }] = await Promise.all([
        import("../scenario-file"),
        import("../../simulate/simulate-agent"),
        import("../render-simulation"),
      ]);
      const scenario = readAgentScenario(file);
      const simulation = await simulateAgent(scenario);
      io.result(simulation, () => simulationText(simulation, scenario.agent.plan, io.color));
      if (simulation.step.fail !== null) process.exitCode = EXIT.failed;
    });
}

import type { Command } from "commander";
import type { AgentSimulation } from "../../simulate/simulate-agent";
import { CliError, EXIT } from "../exit";
import type { CommandIo } from "../io";

const EXAMPLE = `
A scenario is YAML or JSON: {agent, context?, journal?, model: [REPLY, ...], tools?: {NAME: STUB}}.
REPLY is a text, {content, tokens?} or {error: {class, message}}.
STUB is {kind: const, value}, {kind: echo}, {kind: error, message} or {kind: sequence, values}.

Example:
  $ navigator simulate agent charge.yaml --json`;

/** `navigator simulate`: scenarios on the in-memory host, without any server. */
export function registerSimulate(program: Command, io: CommandIo): void {
  const simulate = program.command("simulate").description("run a scenario in memory, without any server");
  simulate
    .command("agent <file>")
    .description("one agent run with scripted model replies and tool stubs; - reads stdin")
    .addHelpText("after", EXAMPLE)
    .action(async (file: string) => {
      const { parseAgentScenario, simulateAgent } = await import("../../simulate/simulate-agent");
      const scenario = parseAgentScenario(await readScenario(file));
      if (!scenario.ok)
        throw new CliError(scenario.fail.reason, scenario.fail.message, { details: scenario.fail.details });
      const simulation = await simulateAgent(scenario.value);
      io.result(simulation, () => renderSimulation(simulation));
      if (simulation.step.fail !== null) process.exitCode = EXIT.failed;
    });
}

/** YAML is read by the same reader: JSON is part of it. */
async function readScenario(file: string): Promise<unknown> {
  const { readFileSync } = await import("node:fs");
  const { parse, YAMLParseError } = await import("yaml");
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  try {
    // JSON first: its own reader is exact where YAML is generous, and keeps `__proto__` a plain key.
    if (/^\s*\{/.test(text)) return JSON.parse(text);
  } catch {
    // Flow-style YAML begins with a brace too; the YAML reader names the place of the mistake.
  }
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new CliError("invalid_scenario", `${file} is neither YAML nor JSON: ${error.message.split("\n")[0]}`);
  }
}

function renderSimulation({ step }: AgentSimulation): string {
  const turns = (step.turns ?? []).map((turn) => {
    const tools = turn.tool_calls.map((call) => call.name).join(", ");
    const prints = turn.prints.map((line) => `\n    ${line.replaceAll("\n", "\n    ")}`).join("");
    return `turn ${turn.number} ${turn.success ? "ok" : "failed"}${tools === "" ? "" : `  tools: ${tools}`}${prints}`;
  });
  const journal = Object.entries(step.journal ?? {}).map(([id, value]) => `  ${id}: ${JSON.stringify(value)}`);
  const end =
    step.fail === null ? `return ${JSON.stringify(step.return)}` : `failed (${step.fail.reason}): ${step.fail.message}`;
  return [...turns, ...(journal.length > 0 ? ["journal", ...journal] : []), end].join("\n");
}

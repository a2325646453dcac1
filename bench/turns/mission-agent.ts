import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import type { ToolRegistry } from "../../src/tools";
import type { CompiledMission } from "./compile";

/**
 * The agent of a mission. All its tools are listed in the prompt, so that both sides of the comparison see the same ones, and all
 * that its programs print is shown to the model.
 */
export function agentOf({ tools, prompt, turns }: CompiledMission, name: string, specs: ToolRegistry): AgentDefinition {
  const described = specs.describe(tools);
  if (!described.ok) throw new Error(described.fail.message);
  const programs = turns.reduce((sum, turn) => sum + turn.programs.length, 0);
  const parsed = parseAgent({
    name,
    prompt,
    template: "literal",
    tools: described.value,
    tools_in_prompt: null,
    builtin_tools: ["ask"],
    max_turns: programs + 3,
    turn_budget: programs + 3,
    format_options: { feedback_max_chars: 200_000, max_print_length: 200_000 },
  });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

/** A program as models write it. */
export const fencedProgram = (source: string): string => `\`\`\`clojure\n${source}\n\`\`\``;

import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { withToolSpecs } from "../../src/core/agent/tools/with-specs";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { HELPER } from "./missions/program";
import type { ProofTools } from "./missions/proof-tool";

/** Turns of a mission: far more than any mission needs. */
export const MAX_TURNS = 60;

const options = { max_turns: MAX_TURNS, signature: "() -> {effects [:string]}" } as const;
/** The model receives everything that a program printed. */
const format_options = { feedback_max_chars: 100_000, max_print_length: 100_000, result_max_chars: 100_000 };

/** The agent of a generated mission. It may run another agent as a tool. */
export function payerWith({ names, specs }: ProofTools): AgentDefinition {
  const helper = defineAgent({
    ...options,
    name: HELPER,
    description: "does a part of the work",
    signature: "(work :string) -> {effects [:string]}",
    prompt: "Do {{work}}.",
    tools: [...names],
    turn_budget: MAX_TURNS * MAX_TURNS,
    format_options,
  });
  const payer = defineAgent({
    ...options,
    name: "payer",
    prompt: "Make the payments.",
    tools: [...names, { name: HELPER, description: "does a part of the work", agent: helper }],
    turn_budget: MAX_TURNS * MAX_TURNS,
    format_options,
  });
  return withToolSpecs(payer, specs);
}

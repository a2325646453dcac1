import { defineAgent } from "../../authoring/define-agent";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { withToolSpecs } from "../../core/agent/tools/with-specs";
import type { ToolSpec } from "../../core/calls/tool";
import { PAYMENT_TOOL_NAMES, PAYMENT_TOOLS } from "./payment-tools";
import { HELPER } from "./teller";

/** Turns of a mission: far more than any needs that goes on. */
export const MAX_TURNS = 60;

const options = { max_turns: MAX_TURNS, signature: "() -> {deeds [:string]}" } as const;
/** The model hears everything that a program printed. */
const format_options = { feedback_max_chars: 100_000, max_print_length: 100_000, result_max_chars: 100_000 };

const helper = defineAgent({
  ...options,
  name: HELPER,
  description: "does a part of the work",
  signature: "(work :string) -> {deeds [:string]}",
  prompt: "Do {{work}}.",
  tools: PAYMENT_TOOL_NAMES,
  turn_budget: MAX_TURNS * MAX_TURNS,
  format_options,
});

const plainPayer = defineAgent({
  ...options,
  name: "payer",
  prompt: "Make the payments.",
  tools: [...PAYMENT_TOOL_NAMES, { name: HELPER, description: "does a part of the work", agent: helper }],
  turn_budget: MAX_TURNS * MAX_TURNS,
  format_options,
});

/** The same, with effects that all missions share. */
export const payerAmongOthers = (): AgentDefinition =>
  withToolSpecs(
    plainPayer,
    Object.values(PAYMENT_TOOLS).map((spec): ToolSpec => ({ ...spec, identity_scope: "namespace" })),
  );

/** The agent of a generated mission. It may run another agent as a tool. */
export const payer = withToolSpecs(plainPayer, Object.values(PAYMENT_TOOLS));

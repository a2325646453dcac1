import type { JsonObject } from "../../base/json";
import { mayShare } from "../../calls/run-calls";
import type { ToolSpec } from "../../calls/tool";
import { withoutEffects } from "../../effects/given-ledger";
import { withoutRecords } from "../../journal/retry-of";
import type { AgentDefinition } from "../definition/definition";
import type { AgentInput, AgentState } from "../run/run";
import { runTools } from "../tools/run-tools";

/** The tools of an agent whose calls may share an activity. */
export function sharedTools(agent: AgentDefinition): ReadonlyMap<string, ToolSpec> {
  const tools = agent.sequences === false ? [] : runTools(agent);
  return new Map(
    tools.flatMap(({ kind, spec }) => (kind === "worker" && mayShare(spec) ? [[spec.name, spec] as const] : [])),
  );
}

/** The input of a run without what its state has, and without what only its workflow needs. */
export function inputForSequence({ initial_messages: _, budget: __, ...input }: AgentInput): JsonObject {
  const needed = { ...input, ...withoutEffects(input.effects), ...withoutRecords(input.retry), journal: null };
  return needed as unknown as JsonObject;
}

/** The state of a run as far as a program needs it: nothing of its conversation. */
export const stateForSequence = (state: AgentState): JsonObject =>
  ({
    ...state,
    messages: [],
    mission_log: "",
    turns: [],
    child_steps: [],
    last_program: { prints: [], tool_calls: [], pmap_calls: [] },
  }) as unknown as JsonObject;

/** The same of a run that asks its model: the calls after the reply do not need the prompt. */
export const stateForTurn = ({ prompt, told_log: _, ...state }: AgentState): JsonObject => ({
  ...stateForSequence({ ...state, prompt: prompt === null ? null : "" }),
});

import type { JsonObject } from "../../base/json";
import { isForStretch } from "../../calls/stretch";
import { withoutEffects } from "../../effects/given-ledger";
import { withoutRecords } from "../../journal/retry-of";
import type { AgentDefinition } from "../definition/definition";
import type { AgentInput, AgentState } from "../run/run";
import { runTools } from "../tools/run-tools";

/** The tools of an agent whose calls may be made in a stretch. */
export function stretchTools(agent: AgentDefinition): ReadonlySet<string> {
  const tools = agent.stretches === false ? [] : runTools(agent);
  return new Set(tools.flatMap(({ kind, spec }) => (kind === "worker" && isForStretch(spec) ? [spec.name] : [])));
}

/** The input of a run without what is in its state anyway, and without what only its workflow needs. */
export function inputForStretch({ initial_messages: _, budget: __, ...input }: AgentInput): JsonObject {
  const carried = { ...input, ...withoutEffects(input.effects), ...withoutRecords(input.retry), journal: null };
  return carried as unknown as JsonObject;
}

/** The state of a run as far as a program needs it: nothing of its conversation. */
export const stateForStretch = (state: AgentState): JsonObject =>
  ({
    ...state,
    messages: [],
    mission_log: "",
    turns: [],
    child_steps: [],
    last_program: { prints: [], tool_calls: [], pmap_calls: [] },
  }) as unknown as JsonObject;

/** The same of a run that asks its model: what it asked with is not needed behind the reply. */
export const stateForTurn = ({ prompt, told_log: _, ...state }: AgentState): JsonObject => ({
  ...stateForStretch({ ...state, prompt: prompt === null ? null : "" }),
});

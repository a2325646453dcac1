import type { z } from "zod";
import type { AgentTool } from "../tools/agent-tool";
import { runTools } from "../tools/run-tools";
import type { AgentFile } from "./agent-file";

/** An agent, complete: every option decided. Travels in workflow input. */
export interface AgentDefinition extends Omit<z.output<ReturnType<typeof AgentFile>>, "tools"> {
  tools: AgentTool[];
}

/** What an agent of an older version does not say: a mission may have been started before these options were there. */
const ADDED: Pick<
  AgentDefinition,
  "builtin_tools" | "llm_query" | "compression" | "output" | "pmap_timeout" | "on_other_intent" | "validate_input"
> = {
  validate_input: false,
  builtin_tools: [],
  llm_query: false,
  compression: null,
  output: "ptc_lisp",
  pmap_timeout: null,
  on_other_intent: "warn",
};

export const completed = (agent: AgentDefinition): AgentDefinition => ({ ...ADDED, ...agent });

/** One turn and no correction: the last value is the answer, `return` or not. */
export const isOneTurn = (agent: AgentDefinition): boolean => agent.max_turns === 1 && agent.retry_turns === 0;

/** One model call and one program without tools (agent reference, section 1). */
export const isSingleShot = (agent: AgentDefinition): boolean => isOneTurn(agent) && runTools(agent).length === 0;

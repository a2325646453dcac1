import type { z } from "zod";
import type { ToolSpec } from "../tool";
import type { AgentFile } from "./agent-file";

/** An agent, complete: every option decided. Travels in workflow input. */
export interface AgentDefinition extends Omit<z.output<typeof AgentFile>, "tools"> {
  /** A name alone is looked up on the worker. */
  tools: (string | ToolSpec)[];
}

/** The tools of an agent as specs; a bare name says nothing but that it is there. */
export function toolSpecs(agent: AgentDefinition): ToolSpec[] {
  return agent.tools.map((tool) => (typeof tool === "string" ? { name: tool, effect: "write" } : tool));
}

/** One turn and no correction: the last value is the answer, `return` or not. */
export const isOneTurn = (agent: AgentDefinition): boolean => agent.max_turns === 1 && agent.retry_turns === 0;

/** One model call and one program without tools (agent reference, section 1). */
export const isSingleShot = (agent: AgentDefinition): boolean => isOneTurn(agent) && agent.tools.length === 0;

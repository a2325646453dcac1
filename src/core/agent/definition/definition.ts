import type { z } from "zod";
import type { ModelSettings } from "../../calls/model-settings";
import type { ToolSpec } from "../../calls/tool";
import { parseSignature, type Signature } from "../../signature/parse";
import type { AgentFile } from "./agent-file";

/** An agent with every option filled in. It travels in workflow input. */
export interface AgentDefinition extends Omit<z.output<ReturnType<typeof AgentFile>>, "tools"> {
  tools: AgentTool[];
}

/** An entry in an agent's list of tools. A bare name is looked up on the worker. */
export type AgentTool = string | ToolSpec | AgentAsTool | SelfTool | LlmTool;

/** Another agent, run as a tool (agent reference, section 4.3). */
interface AgentAsTool {
  name: string;
  /** Its description, which a model needs. */
  description: string;
  agent: AgentDefinition;
  /** For an agent that names no model itself. */
  model?: string;
  cache?: boolean;
  approval?: ToolSpec["approval"];
}

/** The agent itself, for a part of its input. */
interface SelfTool {
  name: string;
  self: true;
  description?: string;
  cache?: boolean;
  approval?: ToolSpec["approval"];
}

/** One question to a model, with a contract (agent reference, section 4.4). */
interface LlmTool {
  name: string;
  description?: string;
  cache?: boolean;
  llm: LlmToolSpec;
}

/** A tool that asks a model instead of running code (agent reference, section 4.4). */
export interface LlmToolSpec {
  prompt: string;
  signature: string;
  /** `caller` or undefined: the calling agent's model. */
  model?: string;
  /**
   * The type of the model's answer, if the tool returns another one: a `response_template` turns the answer into the
   * result.
   */
  json_signature?: string;
  /** A program in which the answer's fields stand as {{field}}; its value is the tool's. */
  response_template?: string;
  /** A tool of the worker that refuses bad arguments by failing. */
  validator?: string;
  /** Of its model call; it does not take over its caller's. */
  model_settings?: ModelSettings;
}

/** One turn without corrections: the last value is the answer, with or without `return`. */
export const isOneTurn = (agent: AgentDefinition): boolean => agent.max_turns === 1 && agent.retry_turns === 0;

/** The agent's signature, parsed; undefined for an agent without one. */
export function agentSignature(agent: AgentDefinition): Signature | undefined {
  return agent.signature === undefined ? undefined : parseSignature(agent.signature);
}

/** Whether the tool is another agent (agent reference, section 4.3). */
export const isAgentTool = (tool: AgentTool): tool is AgentAsTool => typeof tool !== "string" && "agent" in tool;
/** Whether the tool is the agent itself. */
export const isSelfTool = (tool: AgentTool): tool is SelfTool => typeof tool !== "string" && "self" in tool;
/** Whether the tool asks a model (agent reference, section 4.4). */
export const isLlmTool = (tool: AgentTool): tool is LlmTool => typeof tool !== "string" && "llm" in tool;
/** A tool of the worker: its name, or its whole spec. */
export const isWorkerTool = (tool: AgentTool): tool is string | ToolSpec =>
  !isAgentTool(tool) && !isSelfTool(tool) && !isLlmTool(tool);

/** Whether the effects of a tool can be undone by an `undo`; a tool without a spec may have one. */
export function canBeUndone(tool: AgentTool): boolean {
  if (typeof tool === "string") return true;
  if (isAgentTool(tool)) return tool.agent.tools.every(canBeUndone);
  return !isWorkerTool(tool) || tool.effect === "read" || tool.undo === true;
}

/**
 * Whether the effects of a tool can be undone, or happen only after a person approved the call. An agent is as
 * dangerous as its most dangerous tool; a tool without a spec counts as an ordinary one.
 */
export function mayBeTakenBack(tool: AgentTool): boolean {
  if (typeof tool === "string") return true;
  if (isAgentTool(tool)) return tool.approval !== undefined || tool.agent.tools.every(mayBeTakenBack);
  return !isWorkerTool(tool) || tool.effect !== "irreversible" || tool.approval !== undefined;
}

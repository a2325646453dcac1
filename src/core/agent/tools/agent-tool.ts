import type { ToolSpec } from "../../calls/tool";
import type { AgentDefinition } from "../definition/definition";

/** What stands in an agent's list of tools: a bare name is looked up on the worker. */
export type AgentTool = string | ToolSpec | AgentAsTool | SelfTool | LlmTool;

/** Another agent, run for the answer (agent reference, section 4.3). */
export interface AgentAsTool {
  name: string;
  /** What it is good for; always there: a model must be told. */
  description: string;
  agent: AgentDefinition;
  /** For an agent that names no model itself. */
  model?: string;
  cache?: boolean;
  approval?: ToolSpec["approval"];
}

/** The agent itself, for a part of its input. */
export interface SelfTool {
  name: string;
  self: true;
  description?: string;
  cache?: boolean;
  approval?: ToolSpec["approval"];
}

/** One question to a model, with a contract (agent reference, section 4.4). */
export interface LlmTool {
  name: string;
  description?: string;
  cache?: boolean;
  llm: LlmToolSpec;
}

export interface LlmToolSpec {
  prompt: string;
  signature: string;
  /** `caller` or undefined: the calling agent's model. */
  model?: string;
  /** What the model must answer, when that is not what the tool gives: a `response_template` turns one into the other. */
  json_signature?: string;
  /** A program in which the answer's fields stand as {{field}}; its value is the tool's. */
  response_template?: string;
  /** A tool of the worker that refuses bad arguments by failing. */
  validator?: string;
}

export const isAgentTool = (tool: AgentTool): tool is AgentAsTool => typeof tool !== "string" && "agent" in tool;
export const isSelfTool = (tool: AgentTool): tool is SelfTool => typeof tool !== "string" && "self" in tool;
export const isLlmTool = (tool: AgentTool): tool is LlmTool => typeof tool !== "string" && "llm" in tool;
/** Of the worker: by its name alone, or with all that is known of it. */
export const isWorkerTool = (tool: AgentTool): tool is string | ToolSpec =>
  !isAgentTool(tool) && !isSelfTool(tool) && !isLlmTool(tool);

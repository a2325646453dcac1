import { type AgentTool, isAgentTool, isWorkerTool } from "../agent/tools/agent-tool";

/**
 * Whether what a tool does can be taken back, or is done only when a person has said yes to that very call. An agent is
 * as dangerous as what it can call; a tool that says nothing of itself counts as an ordinary one.
 */
export function mayBeTakenBack(tool: AgentTool): boolean {
  if (typeof tool === "string") return true;
  if (isAgentTool(tool)) return tool.approval !== undefined || tool.agent.tools.every(mayBeTakenBack);
  return !isWorkerTool(tool) || tool.effect !== "irreversible" || tool.approval !== undefined;
}

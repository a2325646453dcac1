import type { ToolSpec } from "../../calls/tool";
import { type AgentDefinition, isAgentTool, isWorkerTool } from "./definition";

/**
 * Under this key an agent has the tool objects that it was defined with. They stay in this process: a run gets the specs, and
 * workers that were given the agent can run them. A copy keeps them, as it keeps the schemas.
 */
const AGENT_TOOLS: unique symbol = Symbol.for("navigator.agent-tools") as never;

/** The result of `defineTool`. The worker knows how to run it. */
interface ToolObject {
  readonly spec: ToolSpec;
}

/** The agent with the tool objects of what it was read from, and with these: of one name the latest. */
export function withToolsOf(
  source: object,
  agent: AgentDefinition,
  given: readonly ToolObject[] = [],
): AgentDefinition {
  const all = new Map([...ownTools(source), ...given].map((tool) => [tool.spec.name, tool]));
  return all.size === 0 ? agent : ({ ...agent, [AGENT_TOOLS]: [...all.values()] } as AgentDefinition);
}

const ownTools = (agent: object): readonly ToolObject[] =>
  (agent as { [AGENT_TOOLS]?: readonly ToolObject[] })[AGENT_TOOLS] ?? [];

/** The tool objects that an agent, and the agents among its tools, were defined with; each with the name of its agent. */
export function toolsOfDefinitions(agent: AgentDefinition): { tool: ToolObject; agent: string }[] {
  const names = agent.tools.filter(isWorkerTool).map((tool) => (typeof tool === "string" ? tool : tool.name));
  const own = ownTools(agent).filter(({ spec }) => names.includes(spec.name));
  const below = agent.tools.flatMap((tool) => (isAgentTool(tool) ? toolsOfDefinitions(tool.agent) : []));
  return [...own.map((tool) => ({ tool, agent: agent.name ?? "" })), ...below];
}

import type { ToolSpec } from "../../calls/tool";
import type { AgentDefinition } from "../definition/definition";
import { isAgentTool, isWorkerTool } from "../definition/definition";

/**
 * The agent with the specs of these tools added. An unknown name stays, because its worker may know it. The agent's own
 * settings for a tool are added, and can make it stricter, not laxer.
 */
export function withToolSpecs(agent: AgentDefinition, specs: readonly ToolSpec[]): AgentDefinition {
  const known = new Map(specs.map((spec) => [spec.name, spec]));
  const tools = agent.tools.map((tool) => {
    if (isAgentTool(tool)) return { ...tool, agent: withToolSpecs(tool.agent, specs) };
    if (!isWorkerTool(tool)) return tool;
    const spec = known.get(typeof tool === "string" ? tool : tool.name);
    if (spec === undefined || typeof tool === "string") return spec ?? tool;
    return { ...spec, ...tool, effect: stricter(spec.effect, tool.effect) };
  });
  return { ...agent, tools };
}

const EFFECTS: readonly ToolSpec["effect"][] = ["read", "write", "irreversible"];
const stricter = (a: ToolSpec["effect"], b: ToolSpec["effect"]): ToolSpec["effect"] =>
  EFFECTS[Math.max(EFFECTS.indexOf(a), EFFECTS.indexOf(b))] as ToolSpec["effect"];

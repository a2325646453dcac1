import { NavigatorError } from "./client-errors";
import type { AgentDefinition } from "./core/agent/definition";
import { parseAgent } from "./core/agent/parse-agent";
import type { Tool } from "./tools";

/** An agent as code writes it: what an agent file says, with tools as they are. */
export interface AgentSource {
  prompt: string;
  /** Tools, their names, or what an agent file may say about them. */
  tools?: (Tool | string | object)[];
  [field: string]: unknown;
}

/**
 * An agent in code (agent reference, section 2).
 *
 * @throws NavigatorError `invalid_agent` that names every mistake, with its place.
 */
export function defineAgent({ tools = [], ...source }: AgentSource): AgentDefinition {
  const specs = tools.map((tool) => (isTool(tool) ? tool.spec : tool));
  const parsed = parseAgent({ ...source, tools: specs });
  if (parsed.ok) return parsed.value;
  const { reason, message, details } = parsed.fail;
  throw new NavigatorError(reason, message, details === undefined ? {} : { details });
}

const isTool = (tool: Tool | string | object): tool is Tool => typeof tool === "object" && "spec" in tool;

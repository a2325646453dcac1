import type { ToolSpec } from "../../core/calls/tool";
import { describeCalls } from "../activity-calls";
import type { AgentRunInput } from "../agent-run-input";
import { asApplicationFailure } from "../failures";

/** Bare tool names are looked up on the worker, once for the whole run; agents that carry their tools' specs need no look-up. */
export async function withDescribedTools(input: AgentRunInput): Promise<AgentRunInput> {
  const names = input.agent.tools.filter((tool) => typeof tool === "string");
  if (names.length === 0) return input;
  const found = await describeCalls().describeTools(names);
  if (!found.ok) throw asApplicationFailure(found.fail);
  const specs = new Map(found.value.map((spec) => [spec.name, spec]));
  const tools = input.agent.tools.map((tool) => (typeof tool === "string" ? (specs.get(tool) as ToolSpec) : tool));
  return { ...input, agent: { ...input.agent, tools } };
}

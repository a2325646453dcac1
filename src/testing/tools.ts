import type { AgentDefinition } from "../core/agent/definition/definition";
import { isAgentTool, isLlmTool, isWorkerTool } from "../core/agent/definition/definition";
import { defined } from "../core/base/defined";
import type { Json, JsonObject } from "../core/base/json";
import type { ToolSpec } from "../core/calls/tool";
import { makeStub, type ToolStub } from "../simulate/tool-stubs";
import type { Tool, ToolContext } from "../tools";

/** A tool that answers by rule. The same key gets the same answer again, as a good service does. */
export const stub = {
  /** Always the same answer. */
  always: (value: Json): ToolStub => ({ kind: "const", value }),
  /** One answer for each call, in order; a call too many fails. */
  sequence: (values: Json[]): ToolStub => ({ kind: "sequence", values }),
  /** Fails: the program sees a `tool_error` with this message. */
  fails: (message: string): ToolStub => ({ kind: "error", message }),
  /** Answers its arguments. */
  echo: (): ToolStub => ({ kind: "echo" }),
  /** Answers after `ms` milliseconds, at most 600000. In memory no time passes for the test. */
  slow: (ms: number, value: Json): ToolStub => ({ kind: "const", value, delay_ms: ms }),
};

/** What a test may put in a tool's place: a tool of defineTool, a function of the arguments, or a stub. */
export type TestTool = Tool | ToolStub | ((args: JsonObject, call: ToolContext) => unknown);

/** A tool as both hosts run it. */
export interface PlayedTool {
  spec: ToolSpec;
  /** Ms before it answers. */
  delay_ms: number;
  /** A repeated key gets the first answer. */
  remembers: boolean;
  run(args: JsonObject, call: ToolContext): Promise<Json>;
}

export interface ToolsGiven {
  tools?: readonly Tool[] | { readonly [name: string]: TestTool } | undefined;
  replace?: { readonly [name: string]: TestTool } | undefined;
}

/** @throws Error for a tool that the agent, or an agent below it, may call, and that has no stub. */
export function playedTools(agent: AgentDefinition, { tools = [], replace = {} }: ToolsGiven): Map<string, PlayedTool> {
  const given = Array.isArray(tools)
    ? (tools as readonly Tool[]).map((tool) => [tool.spec.name, tool] as const)
    : Object.entries(tools as { [name: string]: TestTool });
  const played = new Map(given.map(([name, tool]) => [name, playedTool(name, tool)]));
  for (const [name, tool] of Object.entries(replace)) {
    const { spec } = played.get(name) ?? {};
    played.set(name, { ...playedTool(name, tool), ...defined({ spec }) });
  }
  const missing = [...workerTools(agent).keys()].filter((name) => !played.has(name));
  if (missing.length > 0)
    throw new Error(`There is no stub for ${missing.map((name) => `"${name}"`).join(", ")}: give it in \`tools\`.`);
  return played;
}

function playedTool(name: string, tool: TestTool): PlayedTool {
  const spec: ToolSpec = { name, effect: "write" };
  if (typeof tool === "function")
    return {
      spec,
      delay_ms: 0,
      remembers: false,
      run: async (args, call) => ((await tool(args, call)) ?? null) as Json,
    };
  if ("spec" in tool)
    return { spec: tool.spec, delay_ms: 0, remembers: false, run: async (args, call) => tool.run(args, call) };
  const answer = makeStub(name, tool);
  const run = async (args: JsonObject) => {
    const result = answer(args);
    if (!result.ok) throw new Error(result.fail.message);
    return result.value;
  };
  return { spec, delay_ms: tool.delay_ms ?? 0, remembers: true, run };
}

/** The specs of the worker's tools that the agent and the agents below it use, including validators. */
export function workerTools(agent: AgentDefinition): Map<string, ToolSpec | null> {
  const found = new Map<string, ToolSpec | null>();
  for (const tool of agent.tools) {
    if (isAgentTool(tool)) for (const [name, spec] of workerTools(tool.agent)) found.set(name, spec);
    else if (isLlmTool(tool) && tool.llm.validator !== undefined) found.set(tool.llm.validator, null);
    else if (isWorkerTool(tool))
      found.set(typeof tool === "string" ? tool : tool.name, typeof tool === "string" ? null : tool);
  }
  return found;
}

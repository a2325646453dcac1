import { toolsOfDefinitions } from "../core/agent/definition/agent-tools";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { isAgentTool, isLlmTool, isWorkerTool } from "../core/agent/definition/definition";
import { defined } from "../core/base/defined";
import type { Json, JsonObject } from "../core/base/json";
import type { ToolSpec } from "../core/calls/tool";
import { makeStub, type ToolStub } from "../simulate/tool-stubs";
import {
  type AiSdkTool,
  defineTool,
  isAiSdkTool,
  type Tool,
  type ToolContext,
  type ToolMap,
  ToolRegistry,
  toolNamed,
  unknown,
} from "../tools";
import type { ToolOptions } from "../tools/tool-options";

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
  /**
   * Acts, and its answer is lost: the outcome is unknown to the run (`tool_error`, code `unknown_outcome`). Called again
   * with the same key, or looked up, it answers.
   */
  lost: (value: Json): StubTool => ({ stub: { kind: "const", value }, settings: {}, loses: true }),
  /** A stub of a tool with these settings. Its `lookup` and `undo` are those of a good service: it knows its keys. */
  tool: (settings: StubSettings, answers: ToolStub | StubTool): StubTool =>
    "stub" in answers
      ? { ...answers, settings: { ...answers.settings, ...settings } }
      : { stub: answers, settings, loses: false },
};

/** The settings of `defineTool` that a stub may have. */
export interface StubSettings extends Omit<ToolOptions, "name"> {
  /** The tool can look up by its key whether a call has acted. */
  lookup?: boolean;
  /** It can take a call back; the effect of the run then has `undone`. */
  undo?: boolean;
}

/** A stub with the settings of a tool. `stub.tool` and `stub.lost` make it. */
export interface StubTool {
  stub: ToolStub;
  settings: StubSettings;
  loses: boolean;
}

/**
 * The replacement for a tool in a test: a tool of defineTool or of the AI SDK, a function of the arguments, or a stub.
 */
export type TestTool = Tool | AiSdkTool | ToolStub | StubTool | ((args: JsonObject, call: ToolContext) => unknown);

/** As `navigator tools types` writes them: what each tool takes and gives. */
type TypesOf<T> = { [N in keyof T]: { input: object; output: unknown } };

/** Functions in the place of some of these tools, with their types; or anything else that plays a tool. */
type TypedTools<T extends TypesOf<T>> = {
  readonly [N in keyof T]?:
    | Exclude<TestTool, (...args: never) => unknown>
    | ((args: T[N]["input"], call: ToolContext) => T[N]["output"] | Promise<T[N]["output"]>);
};

/**
 * Tools for a test, whose names, arguments and answers the compiler checks by the types that `navigator tools types` wrote:
 * `tools: typedTools<Tools>({ shop_getOrder: ({ id }) => ({ id }) })`. Docs: testing.md.
 */
export const typedTools = <T extends TypesOf<T>>(tools: TypedTools<T>): { readonly [name: string]: TestTool } =>
  tools as { readonly [name: string]: TestTool };

/** A tool as both hosts run it. */
export interface PlayedTool {
  spec: ToolSpec;
  /** Ms before it answers. */
  delay_ms: number;
  /** A repeated key gets the first answer. */
  remembers: boolean;
  /** The first call with a key acts, and its answer is lost. */
  loses: boolean;
  run(args: JsonObject, call: ToolContext): Promise<Json>;
  /** Instead of what the test knows of the effect. */
  lookup?: Tool["lookup"];
  undo?: Tool["undo"];
}

export interface ToolsGiven {
  tools?: readonly (Tool | ToolMap)[] | { readonly [name: string]: TestTool } | undefined;
  replace?: { readonly [name: string]: TestTool } | undefined;
}

/**
 * The tools of a test by name: its `tools`, or without these the objects that the agent was defined with.
 *
 * @throws NavigatorError `invalid_tool` for one that is no tool, `already_exists` for two of one name
 */
function toolsByName(agent: AgentDefinition, { tools }: ToolsGiven): [name: string, tool: TestTool][] {
  if (tools !== undefined && !Array.isArray(tools)) return Object.entries(tools as { [name: string]: TestTool });
  const registry = tools === undefined ? new ToolRegistry().addToolsOf([agent]) : new ToolRegistry(tools);
  return registry.names().map((name) => [name, registry.get(name) as Tool]);
}

/**
 * @throws Error for a tool that the agent, or an agent below it, may call, and that nothing stands for; NavigatorError as
 *   `toolsByName`
 */
export function playedTools(agent: AgentDefinition, given: ToolsGiven): Map<string, PlayedTool> {
  const played = new Map(toolsByName(agent, given).map(([name, tool]) => [name, playedTool(name, tool)]));
  for (const [name, tool] of Object.entries(given.replace ?? {})) {
    const { spec } = played.get(name) ?? {};
    played.set(name, { ...playedTool(name, tool), ...defined({ spec }) });
  }
  const missing = [...workerTools(agent).keys()].filter((name) => !played.has(name));
  if (missing.length > 0) throw nothingStandsFor(missing, agent);
  return played;
}

function nothingStandsFor(names: readonly string[], agent: AgentDefinition): Error {
  const list = names.map((name) => `"${name}"`).join(", ");
  const isOwn = toolsOfDefinitions(agent).some(({ tool }) => names.includes(tool.spec.name));
  const own = isOwn
    ? " The agent's own tools are used in a test without `tools`; `replace` then gives stubs for some of them."
    : "";
  return new Error(
    `The agent may call ${list}, and the test has no answer for it: give a tool, a function or a stub by this name in \`tools\`.${own}`,
  );
}

/** The tools that declare more about themselves than their name. */
export const givenSpecs = (agent: AgentDefinition, given: ToolsGiven): ToolSpec[] =>
  toolsByName(agent, given).flatMap(([name, tool]) => {
    if (typeof tool === "function") return [];
    if ("spec" in tool) return [tool.spec];
    if (isAiSdkTool(tool)) return [toolNamed(name, tool).spec];
    return "stub" in tool ? [stubSpec(name, tool)] : [];
  });

function stubSpec(name: string, { settings: { lookup, undo, ...settings } }: StubTool): ToolSpec {
  const functions = { ...(lookup && { lookup: () => unknown }), ...(undo && { undo: () => null }) };
  return defineTool({ ...settings, ...functions, name, run: () => null }).spec;
}

function playedTool(name: string, tool: TestTool): PlayedTool {
  const plain = { spec: { name, effect: "write" as const }, delay_ms: 0, remembers: false, loses: false };
  if (typeof tool === "function")
    return { ...plain, run: async (args, call) => ((await tool(args, call)) ?? null) as Json };
  if (isAiSdkTool(tool)) return playedTool(name, toolNamed(name, tool));
  if ("spec" in tool) {
    const { spec, lookup, undo } = tool;
    return { ...plain, spec, run: async (args, call) => tool.run(args, call), ...defined({ lookup, undo }) };
  }
  if ("stub" in tool) return { ...playedTool(name, tool.stub), spec: stubSpec(name, tool), loses: tool.loses };
  const answer = makeStub(name, tool);
  const run = async (args: JsonObject) => {
    const result = answer(args);
    if (!result.ok) throw new Error(result.fail.message);
    return result.value;
  };
  return { ...plain, delay_ms: tool.delay_ms ?? 0, remembers: true, run };
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

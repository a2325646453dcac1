import { defined } from "../../base/defined";
import type { ToolSpec } from "../../calls/tool";
import { REJECT } from "../../review/kinds/about-call";
import { APPROVE } from "../../review/kinds/approval";
import { approvalTerms, termsWith } from "../../review/policy/terms";
import type { AgentDefinition } from "../definition/definition";
import {
  type AgentTool,
  isAgentTool,
  isLlmTool,
  isOneTurn,
  isSelfTool,
  type LlmToolSpec,
} from "../definition/definition";
import { ASK_PERSON } from "./ask-person";
import { GREP_TOOLS } from "./grep";
import { LLM_QUERY } from "./llm-query";

/** A tool of a run: how it is described, and who answers its calls. */
export type RunTool =
  | { kind: "worker"; spec: ToolSpec }
  | { kind: "agent"; spec: ToolSpec; agent: AgentDefinition; model: string | undefined }
  | { kind: "llm"; spec: ToolSpec; llm: LlmToolSpec }
  | { kind: "llm-query"; spec: ToolSpec }
  | { kind: "ask-person"; spec: ToolSpec }
  | { kind: "grep" | "grep-n"; spec: ToolSpec };

/** Lists the agent's tools and the builtin ones it asked for; a builtin tool never replaces one of the agent's own. */
export function runTools(agent: AgentDefinition): RunTool[] {
  const own = agent.tools.map((tool) => runTool(agent, tool));
  const taken = new Set(own.map(({ spec }) => spec.name));
  const builtin: RunTool[] = [...builtinTools(agent.builtin_tools), ...(agent.llm_query ? [LLM_QUERY] : [])];
  return [...own, ...builtin.filter(({ spec }) => !taken.has(spec.name))];
}

const builtinTools = (families: readonly string[]): RunTool[] => [
  ...(families.includes("grep") ? GREP_TOOLS : []),
  ...(families.includes("ask") ? [ASK_PERSON] : []),
];

/** The specs of the tools in families of builtin tools, such as `grep`. An unknown family gives none. */
export const expandBuiltinTools = (families: readonly string[]): ToolSpec[] =>
  builtinTools(families).map(({ spec }) => spec);

/**
 * The specs of all tools that an agent's model is shown: its own and the builtin ones that it asked for (agent
 * reference, section 4).
 */
export const toolSpecs = (agent: AgentDefinition): ToolSpec[] => runTools(agent).map(({ spec }) => spec);

/** All tools that a run may request from its worker by name, including validators, which no model sees. */
export function callableSpecs(agent: AgentDefinition): ReadonlyMap<string, ToolSpec> {
  const tools = runTools(agent);
  const validators = tools.flatMap((tool) => (tool.kind === "llm" && tool.llm.validator ? [tool.llm.validator] : []));
  return new Map([
    ...validators.map((name): [string, ToolSpec] => [name, { name, effect: "write" }]),
    ...tools.map(({ spec }): [string, ToolSpec] => [spec.name, spec]),
  ]);
}

/** Whether a call of the tool may call a model. */
export const asksModels = ({ kind }: RunTool): boolean => kind === "agent" || kind === "llm" || kind === "llm-query";

function runTool(agent: AgentDefinition, tool: AgentTool): RunTool {
  if (typeof tool === "string") return { kind: "worker", spec: { name: tool, effect: "write" } };
  if (isAgentTool(tool))
    return {
      kind: "agent",
      agent: tool.agent,
      model: tool.model,
      spec: withPeople(agent, shownAs(tool, tool.agent.signature, tool.description)),
    };
  if (isSelfTool(tool))
    return {
      kind: "agent",
      agent,
      model: undefined,
      spec: withPeople(agent, shownAs(tool, agent.signature, tool.description ?? agent.description ?? RECURSION)),
    };
  if (isLlmTool(tool))
    return {
      kind: "llm",
      llm: tool.llm,
      spec: shownAs(tool, tool.llm.signature, tool.description),
    };
  return { kind: "worker", spec: withPeople(agent, tool) };
}

/** Applies the agent's terms for people to its tools that ask some, except for the default of other questions. */
function withPeople({ people }: AgentDefinition, spec: ToolSpec): ToolSpec {
  if (people === undefined || spec.approval === undefined) return spec;
  const { on_timeout, ...rest } = people;
  const general = on_timeout === APPROVE || on_timeout === REJECT ? people : rest;
  return { ...spec, approval: termsWith(general, approvalTerms(spec.approval)) };
}

const RECURSION = "Does the same work as you, for a part of the input";

function shownAs(
  { name, cache, approval }: Pick<ToolSpec, "name" | "cache" | "approval">,
  signature: string | undefined,
  description: string | undefined,
): ToolSpec {
  return {
    name,
    effect: "write",
    ...defined({ signature, description, cache, approval }),
  };
}

/** Whether the agent makes one model call and runs one program without tools (agent reference, section 1). */
export const isSingleShot = (agent: AgentDefinition): boolean => isOneTurn(agent) && runTools(agent).length === 0;

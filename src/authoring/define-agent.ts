import type { z } from "zod";
import type { AgentFile } from "../core/agent/definition/agent-file";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { parseAgent } from "../core/agent/definition/parse-agent";
import { valueOrThrow } from "../core/base/navigator-error";
import type { Tool } from "../tools";

type File = z.input<ReturnType<typeof AgentFile>>;
type FileTool = NonNullable<File["tools"]>[number];

/** What an agent adds to the definition of one of its tools. `agent` and `llm` make a tool from an agent or a model. */
export type AgentToolSource = Omit<FileTool, "name" | "agent"> & { agent?: AgentDefinition | AgentSource };

/**
 * An agent as code writes it: what an agent file says (docs: agents), with tools as they are. Times are milliseconds,
 * `max_heap` is in words of 8 bytes, `memory_limit` in bytes.
 */
export interface AgentSource extends Omit<File, "tools" | "plan" | "compression"> {
  /** Tools, their names, or what an agent file may say about them: a list, or a map by name. */
  tools?:
    | readonly (Tool | string | (AgentToolSource & { name?: string }))[]
    | { readonly [name: string]: string | null | AgentToolSource };
  /** Texts, pairs of id and text, or both by name. */
  plan?: readonly (string | readonly [id: string, description: string] | { id: string; description: string })[];
  /** `true`, or how long conversations are shortened. */
  compression?: boolean | "single-user-coalesced" | "off" | Partial<NonNullable<File["compression"]>> | null;
  /** Another name of `model`. */
  llm?: File["model"];
  /** The former name of `on_other_effect`. */
  on_other_intent?: File["on_other_effect"];
}

/**
 * Makes an agent in code (agent reference, section 2): from all its options, or from its prompt and the options that are
 * needed besides.
 *
 * @throws NavigatorError `invalid_agent` that names every mistake, with its place.
 */
export function defineAgent(agent: AgentSource | string, options: Omit<AgentSource, "prompt"> = {}): AgentDefinition {
  const { tools = [], ...source }: AgentSource = typeof agent === "string" ? { ...options, prompt: agent } : agent;
  const specs = Array.isArray(tools) ? tools.map((tool) => (isTool(tool) ? tool.spec : tool)) : tools;
  return valueOrThrow(parseAgent({ ...source, tools: specs }));
}

const isTool = (tool: unknown): tool is Tool => typeof tool === "object" && tool !== null && "spec" in tool;

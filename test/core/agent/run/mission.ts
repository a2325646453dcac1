import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";
import { isLogNews } from "../../../../src/core/agent/prompt/mission-log-news";
import type { Step } from "../../../../src/core/agent/result/step";
import { type AgentInput, runAgent } from "../../../../src/core/agent/run/run";
import { ok } from "../../../../src/core/base/failure";
import type { Json } from "../../../../src/core/base/json";
import type { Conversation } from "../../../../src/core/calls/model-call";
import { type ScriptedReply, scriptedModel } from "../../../../src/models/scripted";
import { MemoryHost, type MemoryTool } from "../../../../src/simulate/memory-host";

export const fenced = (program: string): string => `\`\`\`clojure\n${program}\n\`\`\``;

/** An agent as its author writes it; a mistake in it fails the test. */
export function agentOf(written: object): AgentInput["agent"] {
  const parsed = parseAgent({ prompt: "Do it.", ...written });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

export interface Mission extends Partial<Omit<AgentInput, "agent">> {
  agent?: object;
  /** What the model answers, in order; a program stands for itself in a fenced block. */
  says: ScriptedReply[];
  /** A constant answer, or a function. */
  tools?: { [name: string]: MemoryTool | Json };
}

export interface MissionEnd {
  step: Step;
  host: MemoryHost;
  /** The last message of each model call. */
  heard: string[];
  /** The system prompt of each model call. */
  systems: string[];
  /** What each model call shows of the Mission Log. */
  logs: string[];
  /** Names of the tools that were called. */
  called: string[];
}

/** Runs a mission on the in-memory host. An agent that names no tools gets all that are given. */
export async function run({ agent = {}, says, tools = {}, ...input }: Mission): Promise<MissionEnd> {
  const host = hostOf(says, tools);
  const named = { tools: Object.keys(tools), ...agent };
  const step = await runAgent(host, { context: {}, journal: null, model: "scripted", ...input, agent: agentOf(named) });
  return endOf(step, host);
}

export function endOf(step: Step, host: MemoryHost): MissionEnd {
  return {
    step,
    host,
    heard: host.sent.map((call) => call.messages.at(-1)?.content ?? ""),
    systems: host.sent.map((call) => call.system),
    logs: host.sent.map(missionLogOf),
    called: host.toolCalls.map((call) => call.name),
  };
}

export function hostOf(says: ScriptedReply[], tools: { [name: string]: MemoryTool | Json } = {}): MemoryHost {
  const replies = says.map((reply) =>
    typeof reply === "string" && reply.startsWith("(") ? { content: fenced(reply) } : reply,
  );
  const functions = Object.entries(tools).map(([name, tool]): [string, MemoryTool] => [
    name,
    typeof tool === "function" ? tool : () => ok(tool),
  ]);
  return new MemoryHost({ model: scriptedModel(replies, "the test"), tools: new Map(functions) });
}

/** The Mission Log in a system prompt; "" when there is none. */
export function missionLogIn(system: string): string {
  const at = system.indexOf("## Mission Log");
  return at < 0 ? "" : system.slice(at);
}

/** All that a call shows of the Mission Log: the one of the system prompt, and what was told since. */
export const missionLogOf = ({ system, messages }: Conversation): string =>
  [missionLogIn(system), ...messages.filter(isLogNews).map(({ content }) => content)]
    .filter((part) => part !== "")
    .join("\n");

/** The checklist in a message; "" when there is none. */
export function progressIn(message: string): string {
  const at = message.indexOf("## Progress");
  const hint = message.indexOf("\n\nReport with");
  return at < 0 ? "" : message.slice(at, hint < 0 ? undefined : hint);
}

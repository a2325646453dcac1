import { z } from "zod";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { parseAgent } from "../core/agent/definition/parse-agent";
import { givenOptions, RunOptions } from "../core/agent/definition/run-options";
import { type Step, withTrace } from "../core/agent/result/step";
import { contextOf, isStep } from "../core/agent/run/chain";
import { conversationDelta, EMPTY_CONVERSATION } from "../core/agent/run/conversation";
import { type AgentInput, stepOf } from "../core/agent/run/run";
import { defined } from "../core/base/defined";
import { type Failure, ok, type Result } from "../core/base/failure";
import { isObject } from "../core/base/is-object";
import { Json, type JsonObject } from "../core/base/json";
import type { NativeCall, Price } from "../core/calls/host";
import type { Conversation } from "../core/calls/model-call";
import { Script, scriptedModel } from "../models/scripted";
import { keepingChunks, namedListeners, type ReceivedChunk } from "./chunk-recorder";
import { MemoryHost, type ScriptedDecision, type SentCall } from "./memory-host";
import { makeStub, TOOL_STUB } from "./tool-stubs";

const DecisionInput = z.strictObject({
  choice: z.string(),
  by: z.string().default("somebody"),
  value: Json.optional(),
  note: z.string().optional(),
});

/**
 * One simulated agent run (engine reference, section 11.4): an agent, what it is given, and what the model will answer.
 */
const AgentScenario = z.strictObject(
  {
    agent: z.record(z.string(), z.unknown(), "expected an agent: an object with at least a prompt"),
    context: z.record(z.string(), Json).default({}),
    /** null or absent: no journal, tasks run unrecorded. */
    journal: z.record(z.string(), Json, "expected an object of task id -> value").nullable().default(null),
    model: Script,
    /** The name of the model that the run is given; null = none. */
    llm: z.string().nullable().default("scripted"),
    /** An agent that names no tools gets all of these. */
    tools: z.record(z.string(), TOOL_STUB).default({}),
    /** Options of the run (agent reference, section 2.1). */
    options: RunOptions().prefault({}),
    /** Names that `on_chunk` may have: the answer's \`chunks\` list the chunks that they received. */
    listeners: z.array(z.string().min(1), "expected a list of names").default([]),
    /** Prices of models: US dollars for a million tokens. */
    prices: z.record(z.string(), z.strictObject({ input: z.number(), output: z.number() })).default({}),
    /** Decisions of people, in the order in which they are asked. */
    reviews: z.array(DecisionInput, "expected a list of {choice, by, value?, note?}").default([]),
    /** For people. */
    about: z.string().optional(),
    /** The parts of {step, journal} that the answer must contain. */
    expect: z
      .record(z.string(), z.unknown(), "expected an object of the parts that the answer must contain")
      .optional(),
  },
  { error: (issue) => (issue.code === "invalid_type" ? "a scenario is an object {agent, model, ...}" : undefined) },
);

/** A scenario with its agent, context and journal read (engine reference, section 11.4). */
export interface AgentScenario extends Omit<z.output<typeof AgentScenario>, "agent" | "context" | "journal"> {
  agent: AgentDefinition;
  /** Data, or a Step: a chain. */
  context: JsonObject;
  journal: JsonObject | null;
}

/** The input of a scenario's run, on either host. */
export function scenarioInput({ agent, context, journal, options, llm }: AgentScenario): AgentInput {
  const given = isStep(context) ? contextOf(context) : { context };
  return { ...given, llm_registry: {}, ...givenOptions(options), agent, journal, model: llm ?? "" };
}

/** What a simulated run did (engine reference, section 11.4). */
export interface AgentSimulation {
  step: Step;
  journal: JsonObject | null;
  messages: SentMessage[];
  /** The model calls, without their texts. */
  calls: ModelCallNote[];
  /** The chunks that listeners got. */
  chunks: ReceivedChunk[];
}

/** A model call without its messages. */
export type ModelCallNote = Pick<SentCall, "turn" | "model" | "tool_names" | "schema" | "tools" | "cache"> & {
  /** An agent that was run as a tool. */
  agent?: string;
};

/** A text that the model was sent, and the turn that sent it first. The system prompt comes again when it changes. */
export interface SentMessage {
  turn: number;
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: NativeCall[];
  tool_call_id?: string;
  tool_name?: string;
  /** An agent that was run as a tool. */
  agent?: string;
}

/** Reads a scenario; reason `invalid_input`, every mistake in `details.issues` as {path, message}. */
export function parseAgentScenario(raw: unknown): Result<AgentScenario> {
  const parsed = AgentScenario.safeParse(raw);
  const issues = parsed.success ? [] : parsed.error.issues.flatMap(scenarioIssues);
  const agent = parseAgent(agentWithTools(raw));
  if (!agent.ok && !issues.some(({ path }) => path === "agent" || path === "")) issues.push(...agentIssues(agent.fail));
  if (parsed.success && agent.ok && issues.length === 0)
    return ok({ ...(parsed.data as unknown as AgentScenario), agent: agent.value });
  return { ok: false, fail: refusal(issues) };
}

function scenarioIssues(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const at = (key?: string) => [...issue.path, ...(key === undefined ? [] : [key])].join(".");
  if (issue.code !== "unrecognized_keys") return [{ path: at(), message: issue.message }];
  const fields = issue.path.length === 0 ? `; a scenario has ${Object.keys(AgentScenario.shape).join(", ")}` : "";
  return issue.keys.map((key) => ({ path: at(key), message: `unknown field${fields}` }));
}

/** Runs a scenario to its end, on the in-memory host: no server, no network, the same answer every time. */
export async function simulateAgent(scenario: AgentScenario): Promise<AgentSimulation> {
  const { agent } = scenario;
  const stubs = Object.entries(scenario.tools);
  const { onChunk, chunks } = keepingChunks(namedListeners(scenario.listeners));
  const host: MemoryHost = new MemoryHost({
    model: scriptedModel(scenario.model, "the scenario", (ms) => host.sleep(ms)),
    tools: new Map(stubs.map(([name, stub]) => [name, makeStub(name, stub)])),
    tool_times: Object.fromEntries(stubs.map(([name, stub]) => [name, stub.delay_ms ?? 0])),
    onChunk,
    agent: agent.name ?? null,
    decisions: scenario.reviews as ScriptedDecision[],
    budget: givenOptions(scenario.options).budget,
    prices: scenario.prices as { [model: string]: Price },
  });
  const step = withTrace(await stepOf(host.open(scenarioInput(scenario))));
  return { step, journal: step.journal, messages: sentMessages(host.sent), calls: host.sent.map(noteOf), chunks };
}

/** A model call without its texts. */
export function noteOf({ turn, model, tool_names, schema, tools, cache, ...call }: SentCall): ModelCallNote {
  return {
    turn,
    ...ofChild(call),
    model,
    tool_names,
    ...defined({ schema, tools, cache }),
  };
}

const ofChild = ({ run, agent }: Pick<SentCall, "run" | "agent">) => (run === 0 ? {} : { agent: agent ?? "unnamed" });

/** All that the models were sent, each message once: what a call repeats of the one before it is left out. */
export function sentMessages(calls: readonly SentCall[]): SentMessage[] {
  const all: SentMessage[] = [];
  const known = new Map<number, Conversation>();
  for (const { run, turn, system, messages, agent } of calls) {
    const before = known.get(run) ?? EMPTY_CONVERSATION;
    known.set(run, { system, messages });
    const who = ofChild({ run, agent });
    if (system !== before.system) all.push({ turn, role: "system", content: system, ...who });
    const { keep } = conversationDelta("", 0, before, { system, messages }).messages;
    for (const message of messages.slice(keep)) all.push({ turn, ...message, ...who });
  }
  return all;
}

function agentWithTools(raw: unknown): unknown {
  const { agent, tools } = (raw ?? {}) as { agent?: unknown; tools?: unknown };
  if (!isObject(agent) || !isObject(tools) || "tools" in agent) return agent;
  return { ...agent, tools: Object.keys(tools) };
}

function agentIssues(fail: Failure): { path: string; message: string }[] {
  const issues = (fail.details?.issues ?? []) as { path: string; message: string }[];
  return issues.map(({ path, message }) => ({ path: path === "" ? "agent" : `agent.${path}`, message }));
}

function refusal(issues: { path: string; message: string }[]): Failure {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return {
    reason: "invalid_input",
    message: `The scenario has ${issues.length === 1 ? "a mistake" : `${issues.length} mistakes`}: ${list.join("; ")}`,
    details: { path: issues[0]?.path ?? "", issues },
  };
}

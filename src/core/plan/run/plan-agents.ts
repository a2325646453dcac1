import type { AgentInput } from "../../agent/definition/agent-input";
import type { AgentDefinition } from "../../agent/definition/definition";
import { type AgentTool, isWorkerTool } from "../../agent/definition/definition";
import { parseAgent } from "../../agent/definition/parse-agent";
import { defined } from "../../base/defined";
import { ok, type Result } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import { parseSignature, SignatureError } from "../../signature/parse";
import { renderType } from "../../signature/render";
import type { PlanOptions } from "../definition/options";
import { agentOf, DEFAULT_AGENT, type Plan, type PlanTask } from "../definition/plan";
import { expandedInput } from "../definition/templates";
import type { PlanRunKind } from "./host";
import { gatePrompt, QUALITY_GATE_SIGNATURE, qualityGatePrompt, taskPrompt } from "./task-prompts";

/** The agents that a plan runs, and their inputs (plan reference, section 4). */

/** A run as its task requests it; the caller adds its place in the plan. */
export interface WantedRun {
  kind: PlanRunKind;
  agent: AgentDefinition;
  context: JsonObject;
  model: string | string[];
  program?: string;
  timeout_ms: number | null;
}

export interface TaskWorld {
  plan: Plan;
  options: PlanOptions;
  /** The results of all earlier phases. */
  results: JsonObject;
}

/** The name of the runs of quality gates. Scripts answer by it; no agent of the plan has it. */
const QUALITY_GATE_AGENT = "quality_gate";
/** The name of the runs of the planner. Scripts answer by it; no agent of the plan has it. */
export const PLANNER_AGENT = "planner";

/** More does not fit in one program (agent reference, section 2). */
const MAX_PROGRAM_MS = 25_000;
const DIRECT_HEAP_WORDS = 2_500_000;
/** The time of a task besides the programs of its turns. */
const SPARE_MS = 5000;

/** The results of a task's dependencies, if they have any. */
export const dependsOf = (task: PlanTask, results: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(results).filter(([id]) => task.depends_on.includes(id)));

/** The agent's available tools; unknown names are ignored. */
export function toolsOfTask({ plan, options }: Pick<TaskWorld, "plan" | "options">, task: PlanTask): AgentTool[] {
  const names = agentOf(plan, task.agent).tools;
  return options.base_tools.filter((tool) => names.includes(nameOfTool(tool)));
}

/** The name of a tool, in any of its forms. */
export const nameOfTool = (tool: AgentTool): string => (typeof tool === "string" ? tool : tool.name);

/** Text or program: the task's own setting, else text for an agent without tools. */
export const modeOf = (world: Pick<TaskWorld, "plan" | "options">, task: PlanTask): "ptc_lisp" | "text" =>
  task.output ?? (toolsOfTask(world, task).length > 0 ? "ptc_lisp" : "text");

/** @param feedback why the last attempt was not good enough */
export function taskRun(world: TaskWorld, task: PlanTask, feedback: string | null): Result<WantedRun> {
  if (task.type === "direct") return directRun(world, task);
  if (task.type === "synthesis_gate") return gateRun(world, task);
  const { plan, options, results } = world;
  const input = expandedInput(task.input, results);
  const prompt = taskPrompt(task, agentOf(plan, task.agent).prompt, input, dependsOf(task, results), feedback);
  const output = modeOf(world, task);
  const tools = output === "text" ? [] : toolsOfTask(world, task);
  const builtin_tools = output === "text" ? [] : options.builtin_tools;
  const agent = definition(options, { name: task.agent, prompt, output, builtin_tools, ...contract(task, output) });
  if (!agent.ok) return agent;
  // A text agent reads only its prompt.
  const seen = output === "text" ? dependsOf(task, results) : results;
  return ok({
    kind: "task",
    agent: { ...agent.value, tools },
    context: { input, results: seen },
    model: options.llm ?? "",
    timeout_ms: asksPeople(tools, builtin_tools) ? null : taskLimit(options),
  });
}

function gateRun({ plan, options, results }: TaskWorld, task: PlanTask): Result<WantedRun> {
  const depends = dependsOf(task, results);
  const output = task.output ?? "text";
  const prompt = gatePrompt(task, agentOf(plan, task.agent).prompt, depends);
  const agent = definition(options, { name: task.agent, prompt, output, max_turns: 1, ...contract(task, output) });
  if (!agent.ok) return agent;
  const context = { input: task.input, results: depends, is_synthesis_gate: true };
  return ok({ kind: "gate", agent: agent.value, context, model: options.llm ?? "", timeout_ms: taskLimit(options) });
}

function directRun({ options, results }: TaskWorld, task: PlanTask): Result<WantedRun> {
  const agent = definition(options, {
    name: task.agent,
    prompt: `Direct task ${task.id}`,
    max_turns: 1,
    max_heap: DIRECT_HEAP_WORDS,
    float_precision: 15,
    ...contract(task, "ptc_lisp"),
  });
  if (!agent.ok) return agent;
  const tools = options.base_tools;
  return ok({
    kind: "direct",
    agent: { ...agent.value, tools, ...defined({ people: options.people }) },
    context: { results: dependsOf(task, results) },
    model: options.llm ?? "",
    program: task.input as string,
    timeout_ms: asksPeople(tools, []) ? null : taskLimit(options),
  });
}

/** Builds the agent run that checks whether a task has enough data. */
export function qualityGateRun({ options, results }: TaskWorld, task: PlanTask): Result<WantedRun> {
  const input = expandedInput(task.input, results);
  const prompt = qualityGatePrompt(task, input, dependsOf(task, results), options.mission);
  const agent = definition(options, {
    name: QUALITY_GATE_AGENT,
    prompt,
    output: "text",
    max_turns: 1,
    signature: QUALITY_GATE_SIGNATURE,
  });
  if (!agent.ok) return agent;
  const model = options.quality_gate_llm ?? options.llm ?? "";
  return ok({ kind: "quality_gate", agent: agent.value, context: {}, model, timeout_ms: taskLimit(options) });
}

/**
 * An agent of a plan: its prompt is literal, its limits come from the options. Its signature is the contract of the
 * result; what it is given is the plan's.
 */
function definition(options: PlanOptions, given: JsonObject): Result<AgentDefinition> {
  const { name } = given;
  const timeout = Math.min(options.timeout, MAX_PROGRAM_MS);
  const agent = {
    max_turns: options.max_turns,
    timeout,
    pmap_timeout: options.pmap_timeout ?? options.timeout,
    ...(options.pmap_max_concurrency === null ? {} : { pmap_max_concurrency: options.pmap_max_concurrency }),
    template: "literal",
    validate_input: false,
    ...(options.people === undefined ? {} : { people: options.people as unknown as JsonObject }),
    ...given,
    name: typeof name === "string" && name.trim() !== "" ? name : DEFAULT_AGENT,
  };
  return parseAgent(agent);
}

/** The contract of a task: a text agent without a signature answers with JSON, and gets no parameters. */
function contract({ signature }: PlanTask, output: "ptc_lisp" | "text"): { signature?: string } {
  if (output === "text") return { signature: signature === null ? ":any" : outputPart(signature) };
  return signature === null ? {} : { signature };
}

function outputPart(signature: string): string {
  try {
    return renderType(parseSignature(signature).output);
  } catch (error) {
    // The parser of agents reports mistakes.
    if (error instanceof SignatureError) return signature;
    throw error;
  }
}

const taskLimit = ({ timeout, max_turns }: PlanOptions): number => timeout * max_turns + SPARE_MS;

/** People may take any time: a task that may ask them has no limit. */
const asksPeople = (tools: readonly AgentTool[], builtin_tools: readonly string[]): boolean =>
  builtin_tools.includes("ask") ||
  tools.some((tool) => typeof tool !== "string" && isWorkerTool(tool) && tool.approval !== undefined);

/**
 * The input of a run that a plan wants.
 *
 * @param now ms since 1970
 */
export function inputOfRun(
  { agent, context, model, program, timeout_ms }: WantedRun,
  { llm_registry }: PlanOptions,
  journal: JsonObject | null,
  now: number,
): AgentInput {
  return {
    agent,
    context,
    journal,
    model,
    ...defined({ program, llm_registry }),
    ...(timeout_ms === null ? {} : { deadline_ms: now + timeout_ms }),
  };
}

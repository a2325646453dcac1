import { jsonBytes } from "../../base/bytes";
import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message } from "../../calls/host";
import type { StepLedger } from "../../effects/chain/head";
import type { ProgramEnd, ToolRecord } from "../../lisp/program";
import type { Turn } from "./turn";

export type { Turn, TurnType } from "./turn";

/** The result of a run, and its record turn by turn (agent reference, section 11). All of it is JSON. */
export interface Step {
  return: Json;
  fail: Failure | null;
  /** Definitions for people to read; functions as `{"$text": ...}`. */
  memory: JsonObject;
  journal: JsonObject | null;
  summaries: { [id: string]: string };
  signature: string | null;
  usage: Usage | null;
  turns: Turn[] | null;
  trace: TraceEntry[] | null;
  trace_id: string;
  parent_trace_id: string | null;
  name: string | null;
  field_descriptions: { [field: string]: string } | null;
  /** The prints of the last program. */
  prints: string[];
  tool_calls: ToolRecord[];
  pmap_calls: ProgramEnd["pmap_calls"];
  child_traces: string[];
  child_steps: Step[];
  messages: (Message | { role: "system"; content: string })[] | null;
  prompt: string | null;
  original_prompt: string | null;
  tools: { [name: string]: { signature: string | null; description: string | null } } | null;
  tool_cache: JsonObject;
  /** Reported once for a run: e.g. `missing_journal`, if tasks ran without protection against repetition. */
  warnings: { code: string; message: string }[];
  /** Where the chain of the run ends; absent: it has no links (approvals reference, section 6). */
  ledger?: StepLedger;
}

/**
 * The usage of a run: time, turns, model calls, tokens and money (agent reference, section 11.1). A count is absent
 * where no provider reported it. `total_cost` is in US dollars.
 */
export interface Usage {
  duration_ms: number;
  memory_bytes: number;
  /** Started turns. */
  turns: number;
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  llm_requests?: number;
  system_prompt_tokens?: number;
  cache_creation_tokens?: number;
  cache_read_tokens?: number;
  /** The part of the input that came from a cache, 0 to 1; absent when no provider reported one. */
  cache_hit_rate?: number;
  total_cost?: number;
  fallback_used?: boolean;
  compression?: CompressionStats;
  /** Text mode with a structured answer: the model was given its JSON Schema. */
  schema_used?: boolean;
  schema_bytes?: number;
}

/** The parts that the compressed form of a conversation shows and leaves out (agent reference, section 14). */
export interface CompressionStats {
  enabled: true;
  strategy: string;
  turns_compressed: number;
  tool_calls_total: number;
  tool_calls_shown: number;
  tool_calls_dropped: number;
  printlns_total: number;
  printlns_shown: number;
  printlns_dropped: number;
  error_turns_collapsed: number;
}

export interface TraceEntry {
  turn: number;
  program: string | null;
  result: Json;
  tool_calls: Turn["tool_calls"];
  prints: string[];
  feedback_truncated: boolean;
}

/** The field `trace` of a Step, computed from its turns (agent reference, section 11.1). */
export function traceOf(turns: readonly Turn[]): TraceEntry[] {
  return turns.map(({ number, program, result, tool_calls, prints, feedback_truncated }) => ({
    turn: number,
    program,
    result,
    tool_calls,
    prints,
    feedback_truncated: feedback_truncated === true,
  }));
}

/** The number of model calls of a run and of the agents that it ran. */
export function modelCallsOf({ usage, fail, child_steps }: Step): number {
  const answered = usage?.llm_requests ?? 0;
  const noAnswer = ["llm_error", "llm_not_found", "configuration_error"].includes(fail?.reason ?? "");
  // A run that was refused at its start made no call.
  const failed = noAnswer && (usage?.turns ?? 0) > answered ? 1 : 0;
  return answered + failed + child_steps.reduce((sum, child) => sum + modelCallsOf(child), 0);
}

/** A child's Step as its parent keeps it: the conversation is in the child's own record. */
export const pruned = (step: Step): Step => ({
  ...step,
  messages: null,
  prompt: null,
  original_prompt: null,
  tools: null,
  // It repeats the turns: readers of the Step derive it from them.
  trace: null,
});

/**
 * Returns the Step as its readers get it, and its children's: with its `trace`, and each turn with all definitions,
 * messages and the system prompt of its time. Histories contain each of them once.
 */
export function withTrace(step: Step): Step {
  const turns = step.turns && wholeTurns(step.turns, step.messages);
  return { ...step, turns, trace: turns && traceOf(turns), child_steps: step.child_steps.map(withTrace) };
}

/** @param collected the run's conversation; null = it was not collected */
function wholeTurns(turns: readonly Turn[], collected: Step["messages"]): Turn[] {
  const conversation = (collected ?? []).filter((one): one is Message => one.role !== "system");
  const replies = conversation.flatMap(({ role }, at) => (role === "assistant" ? [at] : [])).slice(-turns.length);
  let memory: JsonObject = {};
  let system: string | null = null;
  return turns.map((turn, i) => {
    memory = { ...memory, ...turn.memory };
    if (collected === null) return { ...turn, memory };
    system = turn.system_prompt ?? system;
    const messages = turn.messages ?? (replies.length === turns.length ? conversation.slice(0, replies[i]) : null);
    return { ...turn, memory, messages, system_prompt: system };
  });
}

/** The parts that may be left out of a Step, the least needed first. */
const DISPENSABLE = [
  "trace",
  "messages",
  "child_steps",
  "turns",
  "tool_calls",
  "tool_cache",
  "memory",
  "prints",
  "prompt",
  "original_prompt",
  "tools",
  "summaries",
] as const;
const EMPTY: Pick<Step, (typeof DISPENSABLE)[number]> = {
  trace: null,
  messages: null,
  turns: null,
  child_steps: [],
  tool_calls: [],
  tool_cache: {},
  memory: {},
  prints: [],
  prompt: null,
  original_prompt: null,
  tools: null,
  summaries: {},
};

/**
 * The Step in at most `max_bytes` of JSON: parts are left out in a fixed order, and a warning `step_shortened` names
 * them. The journal, the return and the fail always stay.
 */
export function fitStep(step: Step, max_bytes: number): Step {
  let fitting = step;
  const dropped: string[] = [];
  for (const part of DISPENSABLE) {
    if (jsonBytes(fitting as unknown as Json) <= max_bytes) break;
    if (part === "child_steps" && step.child_steps.length === 0) continue;
    fitting = { ...fitting, [part]: EMPTY[part] };
    dropped.push(part);
  }
  if (dropped.length === 0) return step;
  const message = `Left out, for the Step was too large for one payload: ${dropped.join(", ")}.`;
  return { ...fitting, warnings: [...step.warnings, { code: "step_shortened", message }] };
}

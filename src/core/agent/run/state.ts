import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { AgentHost, Message } from "../../calls/host";
import type { JournalEntry } from "../../journal/journal";
import type { ProgramEnd, ToolRecord } from "../../lisp/program";
import { NO_TOKENS, type TokenCounts } from "../budget/token-counts";
import type { Budget } from "../budget/tree-budget";
import type { AgentDefinition } from "../definition/definition";
import type { LlmRetry } from "./llm-retry";
import { EMPTY_MEMORY, type RunMemoryState } from "./run-memory";
import type { Step } from "./step";
import type { Turn } from "./turn";

/** What a run is started with (agent reference, sections 2.1 and 18). */
export interface AgentInput {
  agent: AgentDefinition;
  context: JsonObject;
  /** null = no journal: tasks run unrecorded, with a warning. */
  journal: JsonObject | null;
  /** Model for an agent that names none; several are tried in order. */
  model: string | string[];
  trace_id?: string;
  parent_trace_id?: string | null;
  /** 0 for a root agent. */
  depth?: number;
  /** Turns that the parent has left; the agent's turn_budget for a root. */
  remaining_turns?: number;
  /** Absolute, ms since 1970; beats the agent's own mission_timeout. */
  deadline_ms?: number | null;
  /** Whether `step.turns` is kept. */
  trace?: boolean | "on_error";
  collect_messages?: boolean;
  /** Name of the worker's listener that hears an answer in prose (text mode); not handed to descendants. */
  on_chunk?: string;
  /** The run stops when its total tokens exceed this. */
  token_limit?: number | null;
  /** What a run that used up its tokens answers: a fail, or its newest value when there is one. */
  on_budget_exceeded?: "fail" | "return_partial";
  /** Of a root: what it and all agents below it may spend on models. */
  budget?: Budget;
  /** Of an agent that another runs: the budget is the root's. */
  shares_budget?: { cost: boolean };
  /** A signature whose output describes the context: labels for data that the agent's own signature does not name. */
  context_signature?: string;
  /** What the Step before this run in a chain hands on besides its value. */
  upstream?: Upstream;
  /** The Step before must have given every input that the agent's signature asks for. */
  strict_chain?: boolean;
  /** Short names of models -> names that the worker knows; handed to all descendants. */
  llm_registry?: { [name: string]: string };
  /** Beats the agent's own. */
  llm_retry?: LlmRetry;
  /** Words of 8 bytes; beats the agent's own. What holds here, holds for all descendants. */
  max_heap?: number;
  /** A hint to providers that they may cache the prompt. */
  cache?: boolean;
  /** Results of cached tools that an earlier run left. */
  tool_cache?: JsonObject;
  /** A program that is run instead of asking a model for one: what `compileAgent` kept. It has one turn. */
  program?: string;
  /** A conversation that comes before the first message (text mode); system messages in it are left out. */
  initial_messages?: SaidMessage[];
}

export type SaidMessage = Omit<Message, "role"> & { role: Message["role"] | "system" };

export interface Upstream {
  fail: Failure | null;
  field_descriptions: { [field: string]: string } | null;
}

/** Everything a run needs to go on between two turns, as JSON: it survives continue-as-new. */
export interface AgentState extends RunMemoryState {
  started_at: number;
  trace_id: string;
  /** Number of the coming turn. */
  turn: number;
  work_left: number;
  retry_left: number;
  remaining_turns: number;
  deadline_ms: number | null;
  /** The mission as the model reads it; null before the first turn. */
  prompt: string | null;
  /** The Mission Log that the model was last sent: all that changes in the system prompt. Null before the first turn. */
  mission_log: string | null;
  messages: Message[];
  journal: JournalEntry[] | null;
  /** `data/fail`: why the previous program ended in an error. */
  last_fail: JsonObject | null;
  /** The last return that did not fit, in words. */
  last_validation: string | null;
  tokens: TokenCounts;
  turns: Turn[];
  warnings: Step["warnings"];
  last_program: { prints: string[]; tool_calls: ToolRecord[]; pmap_calls: ProgramEnd["pmap_calls"] };
  /** Runs of agents that were called as tools, without what was said in them. */
  child_steps: Step[];
  /** Native tool calls that were run so far (text mode). */
  native_calls: number;
}

/** What a state of an older version does not hold. */
const ADDED: Pick<AgentState, "child_steps" | "native_calls"> = { child_steps: [], native_calls: 0 };

export const completedState = (state: AgentState): AgentState => ({ ...ADDED, ...state });

export function newState(host: AgentHost, { agent, ...input }: AgentInput): AgentState {
  const now = host.now();
  return {
    ...EMPTY_MEMORY,
    ...ADDED,
    tool_cache: Object.entries(input.tool_cache ?? {}) as [string, Json][],
    started_at: now,
    trace_id: input.trace_id ?? host.uuid().replaceAll("-", ""),
    turn: 1,
    work_left: agent.max_turns,
    retry_left: agent.retry_turns,
    remaining_turns: input.remaining_turns ?? agent.turn_budget,
    deadline_ms: input.deadline_ms ?? (agent.mission_timeout === null ? null : now + agent.mission_timeout),
    prompt: null,
    mission_log: null,
    messages: [],
    journal: null,
    last_fail: null,
    last_validation: null,
    tokens: NO_TOKENS,
    turns: [],
    warnings: [],
    last_program: { prints: [], tool_calls: [], pmap_calls: [] },
  };
}

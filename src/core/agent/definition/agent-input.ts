import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import type { RunFormat } from "../../base/run-format";
import type { Message } from "../../calls/host";
import type { GivenLedger } from "../../effects/given-ledger";
import type { RetryOf } from "../../journal/retry-of";
import type { AgentDefinition } from "./definition";
import type { LlmRetry } from "./llm-retry";

/** The input of a run (agent reference, sections 2.1 and 18). */
export interface AgentInput extends RunFormat {
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
  /** Name of the worker's listener that receives an answer in prose (text mode); not handed to descendants. */
  on_chunk?: string;
  /** The principal who asked for the mission: that one does not approve its calls (approvals reference, section 5). */
  requested_by?: string;
  /** The run stops when its total tokens exceed this. */
  token_limit?: number | null;
  /** The end of a run whose tokens are used up: a fail, or its newest value if there is one. */
  on_budget_exceeded?: "fail" | "return_partial";
  /** Only for a root: the most that it and all agents below it may spend on models. */
  budget?: Budget;
  /** Only for an agent that another runs: the budget is the root's. */
  shares_budget?: { cost: boolean };
  /** A signature whose output describes the context: labels for data that the agent's own signature does not name. */
  context_signature?: string;
  /** The further fields that the previous Step of a chain passes on with its value. */
  upstream?: Upstream;
  /** The previous Step must have given every input of the agent's signature. */
  strict_chain?: boolean;
  /** Short names of models -> names that the worker knows; handed to all descendants. */
  llm_registry?: { [name: string]: string };
  /** Overrides the agent's own. */
  llm_retry?: LlmRetry;
  /** Words of 8 bytes; overrides the agent's own. It applies to all descendants. */
  max_heap?: number;
  /**
   * Whether the beginning of a conversation is marked for the provider's cache. Absent: it is for agents that may ask
   * their model more than once.
   */
  cache?: boolean;
  /** Results of cached tools from an earlier run. */
  tool_cache?: JsonObject;
  /** A program that is run instead of asking a model for one: what `compileAgent` kept. It has one turn. */
  program?: string;
  /** The mission whose ledger the run is a part of. Absent: the run is the whole mission. */
  effects?: GivenLedger;
  /** The mission that it tries again. The journal of that one takes the place of `journal`. */
  retry?: RetryOf;
  /** A conversation that comes before the first message (text mode); system messages in it are left out. */
  initial_messages?: ChatMessageInput[];
}

type ChatMessageInput = Omit<Message, "role"> & { role: Message["role"] | "system" };

export interface Upstream {
  fail: Failure | null;
  field_descriptions: { [field: string]: string } | null;
}

/** The most that a run, and all agents that it runs, may spend on models. */
export interface Budget {
  tokens?: number;
  /** US dollars. */
  cost?: number;
  /** `park` (default): the run waits for a top-up; `end`: it ends with `budget_callback_exceeded`. */
  when_spent?: "park" | "end";
}

import type { Message } from "../host";
import type { JournalEntry } from "../journal/journal";
import type { Json, JsonObject } from "../json";
import type { ProgramEnd, ToolRecord } from "../lisp/program";
import type { TokenCounts } from "./budget";
import type { AgentDefinition } from "./definition";
import type { Step, Turn } from "./step";

/** What a run is started with (agent reference, sections 2.1 and 18). */
export interface AgentInput {
  agent: AgentDefinition;
  context: JsonObject;
  /** null = no journal: tasks run unrecorded, with a warning. */
  journal: JsonObject | null;
  /** Model for an agent that names none. */
  model: string;
  trace_id?: string;
  parent_trace_id?: string | null;
  /** 0 for a root agent. */
  depth?: number;
  remaining_turns?: number;
  /** Absolute, ms since 1970. */
  deadline_ms?: number | null;
  trace?: boolean | "on_error";
  collect_messages?: boolean;
  token_limit?: number | null;
}

/** Everything a run needs to go on between two turns, as JSON: it survives continue-as-new. */
export interface AgentState {
  started_at: number;
  trace_id: string;
  /** Number of the coming turn. */
  turn: number;
  work_left: number;
  retry_left: number;
  remaining_turns: number;
  deadline_ms: number | null;
  messages: Message[];
  memory: JsonObject;
  journal: JournalEntry[] | null;
  summaries: [string, string][];
  tool_cache: [string, Json][];
  /** `*1 *2 *3`, exact encoding. */
  history: Json[];
  last_fail: JsonObject | null;
  last_validation: string | null;
  tokens: TokenCounts;
  turns: Turn[];
  warnings: Step["warnings"];
  /** Newest successful turn with a value: what the run falls back on. */
  fallback: { value: Json; memory: JsonObject } | null;
  last_program: { prints: string[]; tool_calls: ToolRecord[]; pmap_calls: ProgramEnd["pmap_calls"] };
}

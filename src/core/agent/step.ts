import type { Failure } from "../failure";
import type { Message } from "../host";
import type { Json, JsonObject } from "../json";
import type { ProgramEnd, ToolRecord } from "../lisp/program";

/** What a run answers, and its record turn by turn (agent reference, section 11). All of it is JSON. */
export interface Step {
  return: Json;
  fail: Failure | null;
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
  /** Of the last program. */
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
  /** Said once for a run: e.g. `missing_journal`, when tasks ran with nothing to keep them from being repeated. */
  warnings: { code: string; message: string }[];
}

export interface Usage {
  duration_ms: number;
  memory_bytes: number;
  turns: number;
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  llm_requests?: number;
  system_prompt_tokens?: number;
  cache_creation_tokens?: number;
  cache_read_tokens?: number;
  total_cost?: number;
  fallback_used?: boolean;
}

export type TurnType = "normal" | "must_return" | "retry";

export interface Turn {
  /** 1-based. */
  number: number;
  /** The whole reply, reasoning included. */
  raw_response: string;
  program: string | null;
  /** The value, or on failure `{reason, message, ...}`. */
  result: Json;
  prints: string[];
  tool_calls: { name: string; args: JsonObject; result: Json }[];
  memory: JsonObject;
  success: boolean;
  messages: null;
  system_prompt: null;
  type: TurnType;
  /** The printed output was cut before the model was shown it. */
  feedback_truncated?: true;
  /** The model that answered, where the provider said so. */
  model?: string;
}

export interface TraceEntry {
  turn: number;
  program: string | null;
  result: Json;
  tool_calls: Turn["tool_calls"];
  prints: string[];
  feedback_truncated: boolean;
}

/** The older view of the turns, derived from them (agent reference, section 11.1). */
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

import type { Result } from "./failure";
import type { Json, JsonObject } from "./json";

/**
 * All that the core may ask of the outside. Two hosts implement it: the workflow host (activities and
 * workflow time) and the in-memory host (simulation and tests). One behaviour, two hosts.
 */
export interface AgentHost {
  /** One model turn. Retries are the host's business; a failure here is final (`llm_error`). */
  callModel(request: ModelRequest): Promise<Result<ModelReply>>;
  /** One tool call. A failure is a `tool_error` that the program's author (the model) sees. */
  callTool(call: ToolCall): Promise<Result<Json>>;
  /** Milliseconds since 1970; workflow time on Temporal. */
  now(): number;
  random(): number;
  uuid(): string;
  sleep(ms: number): Promise<void>;
}

export type Role = "user" | "assistant" | "tool";
export interface Message {
  role: Role;
  content: string;
}

/** What the model is sent in one turn: the whole conversation (hosts decide how to transport it). */
export interface ModelRequest {
  /** Name of a model adapter that the worker knows, e.g. `scripted` or `anthropic/<model>`. */
  model: string;
  /** 1-based. */
  turn: number;
  system: string;
  messages: Message[];
  output: "ptc_lisp" | "text";
  tool_names: string[];
}

/** Token counts of one model call, as the provider reports them. */
export interface Tokens {
  input?: number;
  output?: number;
  cache_creation?: number;
  cache_read?: number;
  total_cost?: number;
}

export interface ModelReply {
  content: string;
  tokens?: Tokens;
  /** The model that really answered, when the provider says so. */
  model?: string;
}

export interface ToolCall {
  name: string;
  args: JsonObject;
  /** Journal id of the innermost `(task id ...)` around the call, if any. */
  task?: string;
  turn: number;
  /** 1-based number of the call within the run's turn. */
  call: number;
}

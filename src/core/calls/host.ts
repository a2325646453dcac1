import type { Result } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { FinalDecision, ReviewRequest } from "../review/request";

/**
 * What the core may ask of the outside: models, tools, people, money and time. Two hosts implement it: the workflow host
 * (activities and workflow time) and the in-memory host (simulation and tests). One behaviour, two hosts.
 */
export interface CallHost {
  /** One model turn. Retries are the host's business; a failure here is final (`llm_error`). */
  callModel(request: ModelRequest): Promise<Result<ModelReply>>;
  /** One tool call. A failure is a `tool_error` that the program's author (the model) sees. */
  callTool(call: ToolCall): Promise<Result<Json>>;
  /** Asks people, and waits for as long as they take. */
  requestReview(request: ReviewRequest, deadline_ms: number | undefined): Promise<Result<FinalDecision>>;
  /**
   * Sets aside what a model call can use at most, of the budget of the whole tree; waits while there is not so much.
   * Answers what `settle` is to be told.
   */
  reserve(bound: Amount, deadline_ms: number | undefined): Promise<Result<string>>;
  /** What was used of it; what is not known counts as all that was set aside. */
  settle(held: string, used: Partial<Amount>): Promise<void>;
  /** What these models cost; null = nobody knows. */
  prices(models: readonly string[]): Promise<Result<{ [model: string]: Price | null }>>;
  now(): number;
  random(): number;
  uuid(): string;
  sleep(ms: number): Promise<void>;
}

/** Who says a message. */
export type Role = "user" | "assistant" | "tool";
/** One message of a conversation with a model (agent reference, section 5.1). */
export interface Message {
  role: Role;
  content: string;
  /** Of an assistant: the calls it asked for. */
  tool_calls?: NativeCall[];
  /** Of a tool: which call it answers, and the name that was called. */
  tool_call_id?: string;
  tool_name?: string;
  /** Of an assistant that asked for calls: see ModelReply. */
  replay?: JsonObject;
}

/** A call that a model asked for by its provider's own tool calling (text mode). */
export interface NativeCall {
  id: string;
  name: string;
  args: JsonObject;
  /** Why the arguments cannot be read. */
  args_error?: string;
}

/** A tool in the form that providers expect. */
export interface NativeTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
}

/** What a model is sent in one turn: the whole conversation. Hosts decide how to transport it. */
export interface ModelRequest {
  /** Name of a model adapter that the worker knows, e.g. `scripted` or `anthropic/<model>`. */
  model: string;
  /** 1-based. */
  turn: number;
  system: string;
  messages: Message[];
  output: "ptc_lisp" | "text";
  tool_names: string[];
  /** Text mode with a structured answer: its JSON Schema. */
  schema?: JsonObject;
  /** Text mode with tools. */
  tools?: NativeTool[];
  /**
   * Name of a listener that hears the answer: as it comes, or whole when the model cannot stream. With `tools` it hears
   * the reply that asks for no calls, whole.
   */
  listener?: string;
  /** A hint that the beginning of the conversation will be sent again. */
  cache?: boolean;
  /** The answer may have at most so many tokens: what a budget has reserved. */
  max_output_tokens?: number;
  /** `none`: the caller repeats failed calls itself. `brief`: another model is waiting, so that a moment must do. */
  retry?: "none" | "brief";
  /** Ms since 1970: then the call is given up, with reason `mission_timeout`. */
  deadline_ms?: number;
}

/** Token counts of one model call, as the provider reports them. */
export interface Tokens {
  /** All of the prompt, what was read from and written to a cache included. */
  input?: number;
  /** What the model thought included. */
  output?: number;
  cache_creation?: number;
  cache_read?: number;
  /** US dollars: as the provider reports it, else by the worker's price table; absent = not known. */
  total_cost?: number;
}

/** Tokens and US dollars. */
export interface Amount {
  tokens: number;
  cost: number;
}

/** US dollars for a million tokens. */
export interface Rate {
  input: number;
  output: number;
  /** Tokens read from, and written to, the provider's prompt cache. Absent = they cost what input costs. */
  cache_read?: number;
  cache_write?: number;
}

/** What a model costs. Some are dearer for a long prompt: then all of the call is billed at the `long` rate. */
export interface Price extends Rate {
  /** For prompts of more than `over` tokens. */
  long?: Rate & { over: number };
}

/** What a model answered (agent reference, section 5.2). */
export interface ModelReply {
  content: string;
  tool_calls?: { id?: string; name: string; args: JsonObject; args_error?: string }[];
  /** What the model's adapter wants to have back with the calls in later turns, such as signed thoughts. */
  replay?: JsonObject;
  tokens?: Tokens;
  /** The model that really answered, when the provider says so. */
  model?: string;
}

/** One call of a tool of the worker, as a run hands it to the host. */
export interface ToolCall {
  name: string;
  args: JsonObject;
  /** Journal id of the innermost `(task id ...)` around the call, if any. */
  task?: string;
  /** The task replaces a record that was made for something else: a new deed, with a key of its own. */
  intent?: string;
  turn: number;
  /** 1-based number of the call within the run's turn. */
  call: number;
  /** Ms since 1970: then the call is given up, with reason `mission_timeout`. */
  deadline_ms?: number;
}

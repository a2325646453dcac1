import { failed, type Result } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { GuardAnswer, GuardClaim, GuardSettle } from "../effects/effect-guard";
import type { EffectFacts } from "../effects/entry";
import type { SealedApproval } from "../review/approval";
import type { ReviewRequest } from "../review/kinds";
import type { FinalDecision } from "../review/request";
import type { CallSettings } from "./model-settings";
import type { ToolSpec } from "./tool";

/**
 * The operations that the core needs from outside: models, tools, people, money and time. Two hosts implement them: the
 * workflow host (activities and workflow time) and the in-memory host (simulation and tests). Both must behave alike.
 */
export interface CallHost {
  /** One model turn. Retries are the host's business; a failure here is final (`llm_error`). */
  callModel(request: ModelRequest): Promise<Result<ModelReply>>;
  /** One tool call. A failure is a `tool_error` that the program's author (the model) sees. */
  callTool(call: KeyedCall): Promise<Result<Json>>;
  /**
   * Asks the tool what became of the effect with this key. A host without it cannot ask; a tool without a `lookup` does
   * not know.
   */
  lookUpEffect?(call: KeyedCall): Promise<EffectLookup>;
  /**
   * Asks the guard of an effect that all missions share whether this run may make it, and waits while another one makes
   * it. Without it every mission is alone (effects reference, section 10).
   *
   * @param guard its workflow id
   */
  claimEffect?(
    guard: string,
    claim: Omit<GuardClaim, "workflow_id">,
    deadline_ms: number | undefined,
  ): Promise<Result<GuardAnswer>>;
  /**
   * Notifies the guard of the outcome of the effect. `callTool` does so itself for an answer that the tool gave at
   * once.
   */
  settleEffect?(guard: string, settle: GuardSettle): Promise<void>;
  /**
   * A tool as the workers declare it now, before people are asked about a call. A host without it does not ask them: this spec
   * counts.
   *
   * @param parallel as of the call
   */
  presentTool?(spec: ToolSpec, parallel?: boolean): Promise<ToolSpec>;
  /** A tool has become stricter since the run began: further calls of it are made by this spec. */
  toolChanged?(spec: ToolSpec): void;
  /**
   * Asks people and waits, however long they take.
   *
   * @param place names the open review within the run. Asked again at the same place, it waits for the same review.
   */
  requestReview(
    request: ReviewRequest,
    deadline_ms: number | undefined,
    place?: string,
  ): Promise<Result<FinalDecision>>;
  /**
   * Reserves the maximum of a model call from the budget of the whole tree; waits while less is left. Returns the
   * handle for `settle`.
   */
  reserve(bound: Amount, deadline_ms: number | undefined): Promise<Result<string>>;
  /** Reports the usage of the call; unknown usage counts as the whole reservation. */
  settle(holder: string, used: Partial<Amount>): Promise<void>;
  /** The prices of these models; null = unknown. */
  prices(models: readonly string[]): Promise<Result<{ [model: string]: Price | null }>>;
  /**
   * A person has paused the run: this resolves when the run continues. Asked right before the ledger records that a call begins.
   * undefined: it is not paused. A host without it is never paused.
   */
  closed?(): Promise<void> | undefined;
  /** How long the run was paused so far, in milliseconds: `dueOf`. */
  pausedMs?(): number;
  now(): number;
  random(): number;
  uuid(): string;
  sleep(ms: number): Promise<void>;
}

/**
 * The tool's knowledge of an effect by its key: it has happened and gave `value`, it has not, or the tool does not
 * know.
 */
export type EffectLookup<T = Json> =
  | { state: "found"; value: T }
  | { state: "absent" }
  | { state: "unknown"; message?: string };

/** The author of a message. */
export type Role = "user" | "assistant" | "tool";
/** One message of a conversation with a model (agent reference, section 5.1). */
export interface Message {
  role: Role;
  content: string;
  /** For an assistant message: the calls that it requested. */
  tool_calls?: NativeCall[];
  /** For a tool message: the call that it answers, and the name that was called. */
  tool_call_id?: string;
  tool_name?: string;
  /** For an assistant message with calls: see ModelReply. */
  replay?: JsonObject;
  /** For a user message: it lists new records of the Mission Log, and nothing else. */
  log_news?: true;
}

/** A call that a model asked for by its provider's own tool calling (text mode). */
export interface NativeCall {
  id: string;
  name: string;
  args: JsonObject;
  /** Why the arguments could not be parsed. */
  args_error?: string;
}

/** A tool in the form that providers expect. */
export interface NativeTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
}

/** The request to a model in one turn: the whole conversation. Hosts decide how to transport it. */
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
   * Name of a listener for the answer: it receives pieces as they are generated, or the whole answer if the model
   * cannot stream. With `tools` it receives only the reply without calls, whole.
   */
  listener?: string;
  /** A hint that the beginning of the conversation will be sent again. */
  cache?: boolean;
  /** The token limit of the answer: what a budget has reserved. */
  max_output_tokens?: number;
  /** How the model answers; the token limit is not among them. */
  settings?: CallSettings;
  /**
   * `none`: the caller repeats failed calls itself. `brief`: another model is waiting, so the call may only be repeated
   * for a moment.
   */
  retry?: "none" | "brief";
  /** Ms since 1970: then the call is given up, with reason `mission_timeout`. */
  deadline_ms?: number;
}

/** Token counts of one model call, as the provider reports them. */
export interface Tokens {
  /** The whole prompt, including tokens that were read from and written to a cache. */
  input?: number;
  /** Including the model's reasoning. */
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

/** The price of a model. Some models are dearer for a long prompt: then the whole call is billed at the `long` rate. */
export interface Price extends Rate {
  /** For prompts of more than `over` tokens. */
  long?: Rate & { over: number };
}

/** The reply of a model (agent reference, section 5.2). */
export interface ModelReply {
  content: string;
  tool_calls?: { id?: string; name: string; args: JsonObject; args_error?: string }[];
  /** Provider data that must be sent back with the calls in later turns, such as signed thoughts. */
  replay?: JsonObject;
  tokens?: Tokens;
  /** The model that answered, if the provider reports it. */
  model?: string;
}

/** One call of a tool of the worker, as a run hands it to the host. */
export interface ToolCall {
  name: string;
  args: JsonObject;
  /** Journal id of the innermost `(task id ...)` around the call, if any. */
  task?: string;
  /** For a call with an effect: the facts that the history shall show of it. */
  effect?: EffectFacts;
  /** For a call that people approved: their yes, which is checked before the call is made. */
  approval?: SealedApproval;
  /** Other calls of the run may be under way at the same time. */
  parallel?: true;
  turn: number;
  /** 1-based number of the call within the run's turn. */
  call: number;
  /** Ms since 1970: then the call is given up, with reason `mission_timeout`. See `dueOf`. */
  deadline_ms?: number;
  /** How long the run had been paused when the deadline was set, in milliseconds; absent = 0. */
  paused_ms?: number;
}

/** The same with its idempotency key, as a worker makes it. */
export interface KeyedCall extends ToolCall {
  key: string;
}

/** The failure of everything that is under way when the time limit of a mission has passed. */
export const GIVEN_UP = failed(
  "mission_timeout",
  "The mission's time limit has passed; what was under way is given up.",
);

/** When a call is given up, ms since 1970: its time limit stands still while the run is paused. undefined: never. */
export const dueOf = (
  host: Pick<CallHost, "pausedMs">,
  { deadline_ms, paused_ms = 0 }: Pick<ToolCall, "deadline_ms" | "paused_ms">,
): number | undefined => (deadline_ms === undefined ? undefined : deadline_ms + (host.pausedMs?.() ?? 0) - paused_ms);

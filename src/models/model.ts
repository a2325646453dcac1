import type { JsonObject } from "../core/base/json";
import { MODEL_ERROR_CLASSES, type ModelErrorClass, RETRIED_MODEL_ERRORS } from "../core/base/model-errors";
import type { ModelReply, NativeTool } from "../core/calls/host";
import type { Conversation } from "../core/calls/model-call";
import type { CallSettings } from "../core/calls/model-settings";

export { MODEL_ERROR_CLASSES, type ModelErrorClass };

/** Why a model call failed. The message is for people and models: no secrets, no whole prompts. */
export class ModelError extends Error {
  /** Milliseconds that the provider asked to wait (Retry-After), capped; undefined if it named none. */
  readonly retry_after_ms?: number;

  constructor(
    readonly errorClass: ModelErrorClass,
    message: string,
    options: { retry_after_ms?: number } = {},
  ) {
    super(message);
    this.name = "ModelError";
    if (options.retry_after_ms !== undefined) this.retry_after_ms = options.retry_after_ms;
  }

  get retryable(): boolean {
    return (RETRIED_MODEL_ERRORS as readonly ModelErrorClass[]).includes(this.errorClass);
  }
}

/** A model call: one turn of one agent, with the whole conversation. */
export interface ModelCall extends Conversation {
  /** The name of the model, e.g. `anthropic/<model>`. */
  model: string;
  agent: string | null;
  /** 1-based. */
  turn: number;
  /** 1-based number of this model call in the whole run. */
  call: number;
  /** The same, counted over the run and the agents it runs as tools. Absent = `call`. */
  tree_call?: number;
  /** 1-based: each retry of a call has the next number. Absent = 1. */
  attempt?: number;
  /** How the agent reads the answer. Absent = as a program. */
  output?: "ptc_lisp" | "text";
  tool_names: string[];
  /** Text mode: the answer's JSON Schema. */
  schema?: JsonObject;
  /** Text mode: the tools that the model may call. */
  tools?: NativeTool[];
  /** The beginning of the conversation will be sent again. */
  cache?: boolean;
  max_output_tokens?: number;
  /** How the model answers, if the agent sets it (agent reference, section 5.5). */
  settings?: CallSettings;
}

/** The second argument of a model: a signal to stop, and a listener for the answer. */
export interface CallOptions {
  /** Aborted when the answer is not needed any more. */
  signal: AbortSignal;
  /**
   * Set if a listener waits for the answer. A model that can stream calls it with each piece of text, in order, and still
   * returns the whole reply. A model that cannot stream ignores it.
   */
  onText?: (piece: string) => void;
}

/** Something that answers model calls: a provider's model, the scripted one, or one of a project's own. */
export interface Model {
  /**
   * @throws ModelError; any other error counts as class `unknown` and is not retried. If `signal` is aborted the call
   *   ends as soon as it can, with any error.
   */
  complete(call: ModelCall, options: CallOptions): Promise<ModelReply>;
}

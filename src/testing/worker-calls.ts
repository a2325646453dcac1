import { defined } from "../core/base/defined";
import type { Json, JsonObject } from "../core/base/json";
import type { EffectLookup, ModelReply } from "../core/calls/host";
import type { ToolSpec } from "../core/calls/tool";
import type { Chunk } from "../models/listener";
import { type ModelCall, ModelError, type ModelErrorClass } from "../models/model";
import {
  errorText,
  isToolRetry,
  isUnknownOutcome,
  mayHaveReached,
  type ToolContext,
  ToolFailure,
  ToolRetry,
  type UndoContext,
  UnknownOutcome,
} from "../tools";

/** The messages between a test and its worker process. */
export interface WorkerStart {
  address: string;
  namespace: string;
  taskQueue: string;
  tools: ToolSpec[];
  listeners: string[];
}

/** A call as it is sent: functions are left out. */
export type Sent<Context extends ToolContext> = Omit<Context, "signal" | "heartbeat">;

export type Asked =
  | { ask: "tool"; name: string; args: JsonObject; context: Sent<ToolContext> }
  | { ask: "lookup"; name: string; key: string; args: JsonObject; context: Sent<ToolContext> }
  | { ask: "undo"; name: string; args: JsonObject; result: Json; context: Sent<UndoContext> }
  | { ask: "chunk"; name: string; chunk: Chunk }
  | { ask: "model"; call: ModelCall; workflow_id: string };

export type FromWorker = { ready: true } | ({ id: number } & Asked);
export type ToWorker =
  | { start: WorkerStart }
  | { id: number; value: Json | ModelReply | EffectLookup }
  | { id: number; error: SentError };

/** An error as it is sent, with the fields by which its receiver distinguishes errors. */
export interface SentError {
  message: string;
  details?: JsonObject;
  retry?: { after_ms?: number };
  /** Nobody knows whether the tool has acted. */
  lost?: true;
  model?: { class: ModelErrorClass; retry_after_ms?: number };
}

/** Turns an error into JSON for the worker process. */
export function asSentError(error: unknown): SentError {
  const message = errorText(error);
  if (isToolRetry(error)) return { message, retry: defined({ after_ms: error.after_ms }) };
  if (error instanceof ToolFailure) return { message, details: error.details };
  if (!(error instanceof ModelError))
    return isUnknownOutcome(error) || mayHaveReached(error) ? { message, lost: true } : { message };
  const { errorClass, retry_after_ms } = error;
  return { message, model: { class: errorClass, ...defined({ retry_after_ms }) } };
}

/** Rebuilds an error from its JSON. */
export function fromSentError({ message, details, retry, lost, model }: SentError): Error {
  if (retry) return new ToolRetry(message, retry);
  if (details) return new ToolFailure(message, details);
  if (lost) return new UnknownOutcome(message);
  return model ? new ModelError(model.class, message, model) : new Error(message);
}

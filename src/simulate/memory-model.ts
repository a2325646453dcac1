import { failed, type Result } from "../core/base/failure";
import type { ModelReply } from "../core/calls/host";
import { type ChunkListeners, completeAloud, findListener, PartlyReceivedError } from "../models/listener";
import { type Model, type ModelCall, ModelError } from "../models/model";

/** The counterpart of a worker's model activity: one attempt, and what its failure means for the run. */
export interface MemoryModel {
  model: Model;
  /**
   * The listeners that may receive answers as they come, by name. A failure of one is reported as a warning of the
   * process.
   */
  onChunk?: ChunkListeners | undefined;
  workflowId: string;
}

const NEVER = new AbortController().signal;

/** Reported before a model is called. */
export function refusedListener(onChunk: ChunkListeners = {}, name: string | undefined): Result<never> | null {
  try {
    if (name !== undefined) findListener(onChunk, name);
    return null;
  } catch (error) {
    return modelFailure(failedAttempt(error));
  }
}

/** @param name of the listener, if there shall be one */
export async function completeInMemory(
  { model, onChunk = {}, workflowId }: MemoryModel,
  call: ModelCall,
  name: string | undefined,
): Promise<ModelReply> {
  if (name === undefined) return model.complete(call, { signal: NEVER });
  return completeAloud(model, call, NEVER, {
    name,
    listener: findListener(onChunk, name),
    workflowId,
    onTrouble: (event, { listener, error = "" }) =>
      process.emitWarning(`${event}: listener ${listener} of ${workflowId} ${error}`.trimEnd(), "NavigatorWarning"),
  });
}

export interface FailedAttempt {
  error: ModelError;
  /** A listener had received part of the answer. */
  heard: boolean;
}

/** @throws what is no model's error */
export function failedAttempt(thrown: unknown): FailedAttempt {
  const received = thrown instanceof PartlyReceivedError;
  const error = received ? thrown.cause : thrown;
  if (!(error instanceof ModelError)) throw error;
  return { error, heard: received };
}

/** Builds the failure of a model call, as the workflow reports it. */
export function modelFailure({ error: { errorClass, message }, heard: received }: FailedAttempt): Result<never> {
  const details = { class: errorClass };
  if (errorClass === "llm_not_found" || errorClass === "listener_not_found")
    return failed(errorClass, message, details);
  return failed("llm_error", `LLM call failed: ${message}`, received ? { ...details, heard: received } : details);
}

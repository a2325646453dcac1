import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { z } from "zod";
import { utf8Bytes } from "../core/base/bytes";
import { type Missing, missingNames } from "../core/base/input/missing";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import { CONFIGURATION_ERRORS } from "../core/base/model-errors";
import { thrownText } from "../core/base/navigator-error";
import type { NavigatorActivities } from "../core/calls/activities";
import type { ModelReply } from "../core/calls/host";
import type { CallModelInput, Conversation } from "../core/calls/model-call";
import { type ChunkListeners, type Model, ModelError, type ModelResolver, prepareModels, redact } from "../models";
import { knownPrices } from "../models/known-prices";
import { completeAloud, findListener, PartlyReceivedError } from "../models/listener";
import { isFinal } from "../models/retry";
import { withTimeLimit } from "../models/time-limit";
import type { StreamStore } from "../node/streams/stream-store";
import { keptModel, type ModelCaller } from "./call-stream";
import type { ConversationCache } from "./conversation-cache";
import { configurationError } from "./missing";
import { retryPause } from "./retry-pause";
import type { SignHead } from "./sign-ledger-head";

const count = z.number().min(0).optional();
const Reply = z.object({
  content: z.string(),
  tool_calls: z
    .array(
      z.object({
        id: z.string().optional(),
        name: z.string(),
        args: z.record(z.string(), z.json()),
        args_error: z.string().optional(),
      }),
    )
    .optional(),
  replay: z.record(z.string(), z.json()).optional(),
  tokens: z
    .object({ input: count, output: count, cache_creation: count, cache_read: count, total_cost: count })
    .optional(),
  model: z.string().optional(),
});

/** The parts of the worker that ask models. */
export interface ModelWorker {
  models: ModelResolver;
  conversations: ConversationCache;
  listeners: ChunkListeners;
  /** Signs where the run's chain ends. */
  sign: SignHead;
  /** How long the run waits for what this worker lacks, ms; 0 = it does not. */
  wait_ms: number;
  /** Keeps the text of answers while it comes. */
  streams?: StreamStore | undefined;
}

/** The attempt that asks a model. */
interface ModelAttempt {
  context: Context;
  /** Ends the call. */
  signal: AbortSignal;
  /** The whole conversation. */
  conversation(): Promise<Conversation>;
  /** As of the activity. */
  blocked_ms: number | undefined;
}

/**
 * Asks a model once. The failure has the error class as `type`, which the retry table reads, and its delay comes from
 * Retry-After. If this worker lacks the model, a key or an answer of its script, the failure is a configuration error,
 * unless another model can be asked.
 *
 * @throws ApplicationFailure with the error class
 */
export async function askModel(
  { models, listeners, wait_ms, streams }: ModelWorker,
  input: CallModelInput,
  { context, signal, conversation, blocked_ms }: ModelAttempt,
): Promise<ModelReply> {
  const { conversation: _, retry, listener: name, ...asked } = input;
  const { attempt, workflowExecution } = context.info;
  try {
    // Found before the model is called: the caller pays for an answer that a listener must receive.
    const listener = name === undefined ? undefined : findListener(listeners, name);
    const checked = checking(answering(models.resolve(input.model), context.info.startToCloseTimeoutMs));
    const model = streams === undefined ? checked : keeping(checked, streams, context);
    const call = { ...asked, ...(await conversation()), attempt };
    const workflowId = workflowExecution?.workflowId ?? "";
    if (name === undefined || listener === undefined) return await model.complete(call, { signal });
    return await completeAloud(model, call, signal, {
      name,
      listener,
      workflowId,
      onTrouble: (event, fields) => context.log.warn(event, { workflow_id: workflowId, ...fields }),
    });
  } catch (error) {
    const missing = wait_ms === 0 || retry !== undefined ? null : missingOf(error, input, { models, listeners });
    if (missing !== null) throw configurationError(context, { ...missing, wait_ms }, blocked_ms);
    throw asFailure(error, attempt, retry);
  }
}

function keeping(model: Model, streams: StreamStore, { info, log }: Context): Model {
  const { workflowExecution, namespace } = info;
  if (workflowExecution === undefined) return model;
  const caller: ModelCaller = { namespace, ...workflowExecution };
  return keptModel(model, streams, caller, (error) =>
    log.warn("stream_not_kept", { workflow_id: caller.workflowId, error: error.message }),
  );
}

/** This part of the time limit of an attempt is for the model. At its end the attempt fails as other failures do. */
const MODEL_SHARE = 0.9;

/** A project's own provider may never answer: it is a timeout then, before Temporal's, which counts as a lost worker. */
const answering = (model: Model, limit_ms: number): Model => ({
  complete: async (call, options) => {
    const ms = limit_ms * MODEL_SHARE;
    const { signal, release } = withTimeLimit(options.signal, ms);
    const silent = new Promise<never>((_, reject) => {
      const end = () => {
        if (!options.signal.aborted) reject(new ModelError("timeout", `no answer within ${ms / 1_000} s`));
      };
      signal.addEventListener("abort", end, { once: true });
    });
    try {
      return await Promise.race([silent, model.complete(call, { ...options, signal })]);
    } finally {
      release();
    }
  },
});

/** A project's own provider may return anything. */
const checking = (model: Model): Model => ({
  complete: async (call, options) => checkedReply(await model.complete(call, options)),
});

function checkedReply(answer: unknown) {
  const reply = Reply.safeParse(answer);
  if (!reply.success)
    throw new ModelError("malformed_response", `the model gave no {content: text}: ${z.prettifyError(reply.error)}`);
  const { content, tool_calls, replay } = reply.data;
  const bytes = [tool_calls, replay].reduce(
    (sum, part) => sum + (part === undefined ? 0 : utf8Bytes(JSON.stringify(part))),
    utf8Bytes(content),
  );
  if (bytes > MAX_PAYLOAD_BYTES)
    throw new ModelError(
      "malformed_response",
      `the model's answer is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}`,
    );
  return reply.data as ModelReply;
}

/** The error itself is not passed on as a cause: it may contain the whole request, with prompt and key. */
function asFailure(thrown: unknown, attempt: number, retry?: "brief"): ApplicationFailure {
  const isPartial = thrown instanceof PartlyReceivedError;
  const inner = isPartial ? thrown.cause : thrown;
  const error = inner instanceof ModelError ? inner : new ModelError("unknown", redact(thrownText(inner)));
  const { errorClass, message, retry_after_ms } = error;
  return ApplicationFailure.create({
    type: errorClass,
    message,
    nonRetryable: isPartial || isFinal(error, attempt, retry),
    ...(isPartial ? { details: [{ heard: isPartial }] } : {}),
    ...retryPause(retry_after_ms),
  });
}

/** Returns the part that the worker lacks for a failed call; null = the call failed for another reason. */
function missingOf(
  error: unknown,
  { model, listener = "" }: { model: string; listener?: string },
  { models, listeners }: { models: ModelResolver; listeners: ChunkListeners },
): Omit<Missing, "wait_ms"> | null {
  if (!(error instanceof ModelError) || !CONFIGURATION_ERRORS.includes(error.errorClass)) return null;
  const { errorClass, message } = error;
  if (errorClass === "listener_not_found")
    return { ...missingNames("listener", [listener], Object.keys(listeners)), class: errorClass };
  const unknown = prepareModels(models, [model]).some((one) => !one.usable && one.errorClass === "llm_not_found");
  return {
    kind: "model",
    name: model,
    class: errorClass,
    text: unknown ? `model ${model} is on no worker` : message.replace(/\.$/, ""),
    help: `${unknown ? `${message} ` : ""}Correct it where the worker runs, and start the worker again.`,
  };
}

/**
 * The prices of models. A worker that does not know a model cannot know its price: that is a configuration error.
 *
 * @param wait_ms how long the run waits for what this worker lacks, ms; 0 = it does not
 */
export function priceModels(models: ModelResolver, wait_ms = 0): NavigatorActivities["priceModels"] {
  return async (names) => {
    const prices = knownPrices(models, names);
    const [unknown] = prepareModels(
      models,
      names.filter((name) => prices[name] === null),
    ).filter((one) => !one.usable && one.errorClass === "llm_not_found");
    if (wait_ms === 0 || unknown === undefined) return prices;
    const { name } = unknown;
    const problem = unknown.usable ? "" : unknown.problem;
    const help = `${problem} Correct it where the worker runs, and start the worker again.`;
    const text = `model ${name} is on no worker`;
    throw configurationError(Context.current(), { kind: "model", name, text, help, wait_ms });
  };
}

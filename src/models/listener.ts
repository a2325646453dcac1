import { thrownText } from "../core/base/navigator-error";
import type { ModelReply } from "../core/calls/host";
import { knownSecrets } from "../node/secrets/known-secrets";
import { MaskedText } from "../node/secrets/masked-pieces";
import { type CallOptions, type Model, type ModelCall, ModelError } from "./model";

/**
 * A piece of a model's answer, as it comes (agent reference, sections 2.1 and 15). A run names its listener in
 * `on_chunk`; the listener itself lives in the worker that calls the model.
 */
export interface Chunk {
  /** The text since the previous chunk; the whole text if the answer did not stream. */
  text: string;
  /** The answer is complete. The last chunk of a stream may have no text. */
  done?: true;
  workflowId: string;
  agent: string | null;
  turn: number;
  /**
   * 1-based. A higher number means that the previous worker was lost, perhaps in the middle of the answer. The answer
   * starts again, perhaps in other words.
   */
  attempt: number;
  /** The name of the model, as in the run. */
  model: string;
}
/**
 * Gets one chunk. An error that it throws is logged and does not stop the answer. A call waits a few seconds for a slow
 * listener.
 */
export type ChunkListener = (chunk: Chunk) => void | Promise<void>;
/** Listeners by the name that a run gives in `on_chunk`. */
export type ChunkListeners = { readonly [name: string]: ChunkListener };

/** How long a complete answer waits for its listener. */
const PATIENCE_MS = 5_000;

interface Ear {
  name: string;
  listener: ChunkListener;
  workflowId: string;
  /** A listener failed or is too slow. Called at most once for each call. */
  onTrouble(event: "listener_failed" | "listener_too_slow", fields: { listener: string; error?: string }): void;
  patience_ms?: number;
}

/** @throws ModelError `listener_not_found` that lists the known ones */
export function findListener(listeners: ChunkListeners, name: string): ChunkListener {
  const listener = Object.hasOwn(listeners, name) ? listeners[name] : undefined;
  if (listener) return listener;
  const names = Object.keys(listeners).join(", ") || "none";
  throw new ModelError("listener_not_found", `There is no listener "${name}" for on_chunk here. Listeners: ${names}.`);
}

/** An error after part of the answer was delivered. No other answer may follow it. */
export class PartlyReceivedError extends Error {
  constructor(override readonly cause: unknown) {
    super("part of the answer was received");
  }
}

/**
 * Calls the model and delivers its reply to the listener: piece by piece, or as a whole if the model cannot stream.
 * With tools only a reply without calls is delivered, as a whole, because text next to calls is not the answer. Secrets
 * are masked.
 *
 * @throws the error of the model, as a PartlyReceivedError if the listener has already got something
 */
export async function completeAloud(model: Model, call: ModelCall, signal: AbortSignal, ear: Ear): Promise<ModelReply> {
  const delivery = new Delivery(call, signal, ear);
  const masked = new MaskedText(knownSecrets);
  const options: CallOptions =
    call.tools === undefined
      ? { signal, onText: (piece) => delivery.deliver({ text: masked.push(piece) }) }
      : { signal };
  let reply: ModelReply;
  try {
    reply = await model.complete(call, options);
  } catch (error) {
    throw delivery.hasSpoken ? new PartlyReceivedError(error) : error;
  }
  const rest = masked.end();
  if (delivery.hasSpoken || rest !== "") delivery.deliver({ text: rest, done: true });
  else if (isAnswer(call, reply)) delivery.deliver({ text: knownSecrets.mask(reply.content), done: true });
  await delivery.over();
  return reply;
}

/** After an empty reply an agent with tools is asked again. */
function isAnswer({ tools }: ModelCall, { content, tool_calls = [] }: ModelReply): boolean {
  return tools === undefined ? content !== "" : tool_calls.length === 0 && content.trim() !== "";
}

/**
 * Delivers chunks in order, one at a time. While the listener is busy, further text waits and becomes one chunk, so the
 * model is never delayed. After a failure the listener gets no more chunks of this call, because a text with a gap is
 * worse than one that ends.
 */
class Delivery {
  hasSpoken = false;
  private waiting: { text: string; done?: true } | null = null;
  private busy: Promise<void> | null = null;
  private deaf = false;

  constructor(
    private readonly call: ModelCall,
    private readonly signal: AbortSignal,
    private readonly ear: Ear,
  ) {}

  deliver(piece: { text: string; done?: true }): void {
    if (this.deaf || this.signal.aborted || (piece.text === "" && !piece.done)) return;
    this.hasSpoken = true;
    this.waiting = { ...piece, text: (this.waiting?.text ?? "") + piece.text };
    if (this.busy === null) this.next();
  }

  /** The listener has got everything, or its time is over. */
  async over(): Promise<void> {
    if (this.busy === null || this.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<true>((resolve) => {
      timer = setTimeout(() => resolve(true), this.ear.patience_ms ?? PATIENCE_MS);
    });
    const cancelled = new Promise<false>((resolve) => {
      this.signal.addEventListener("abort", () => resolve(false), { once: true });
    });
    const isLate = await Promise.race([this.caughtUp(), late, cancelled]);
    clearTimeout(timer);
    if (isLate) this.trouble("listener_too_slow");
  }

  private async caughtUp(): Promise<false> {
    while (this.busy !== null) await this.busy;
    return false;
  }

  /** A listener that returns at once is called at once, so that the pieces stay separate. */
  private next(): void {
    while (this.waiting !== null && this.busy === null && !this.deaf) {
      const piece = this.waiting;
      this.waiting = null;
      try {
        const result: unknown = this.ear.listener(this.chunk(piece));
        if (isPromise(result)) this.busy = this.until(result);
      } catch (error) {
        this.trouble("listener_failed", error);
      }
    }
  }

  private async until(result: PromiseLike<unknown>): Promise<void> {
    try {
      await result;
    } catch (error) {
      this.trouble("listener_failed", error);
    }
    this.busy = null;
    this.next();
  }

  private trouble(event: Parameters<Ear["onTrouble"]>[0], error?: unknown): void {
    if (this.deaf) return;
    this.deaf = true;
    this.waiting = null;
    const detail = error === undefined ? {} : { error: thrownText(error) };
    this.ear.onTrouble(event, { listener: this.ear.name, ...detail });
  }

  private chunk({ text, done }: { text: string; done?: true }): Chunk {
    const { agent, turn, attempt = 1, model } = this.call;
    return { text, ...(done ? { done } : {}), workflowId: this.ear.workflowId, agent, turn, attempt, model };
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

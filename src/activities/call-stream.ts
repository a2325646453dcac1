import { randomUUID } from "node:crypto";
import { missionIdOf } from "../core/base/ids";
import type { ModelReply } from "../core/calls/host";
import type { StreamEntry } from "../core/history/stream/entry";
import type { Model, ModelCall } from "../models";
import { ModelError } from "../models";
import { knownSecrets } from "../node/secrets/known-secrets";
import { MaskedText } from "../node/secrets/masked-pieces";
import type { StreamStore } from "../node/streams/stream-store";

/** How long text is gathered before it is kept, in ms: a model sends some hundred pieces a second. */
const GATHER_MS = 40;
/** How long the answer of a call waits until its last words are kept, in ms. */
const LAST_WORDS_MS = 5_000;
/** How often keeping is tried again after a failure, in ms. */
const AGAIN_MS = 250;

/** The workflow run that calls the model. */
export interface ModelCaller {
  namespace: string;
  workflowId: string;
  runId: string;
}

/** The name of the stream of a mission and of all runs below it. */
export const streamOf = (namespace: string, workflowId: string): string => `${namespace}/${missionIdOf(workflowId)}`;

/**
 * A model whose words are kept while they come. Its answer is not delayed by this, but for the last words, and not changed: if the
 * store fails, there is a note in the log, and readers get the answer from the history.
 *
 * @param onTrouble called at most once for each call
 */
export function keptModel(
  model: Model,
  store: StreamStore,
  caller: ModelCaller,
  onTrouble: (error: Error) => void,
): Model {
  return {
    complete: async (call, options) => {
      const attempt = new KeptAttempt(store, caller, call, onTrouble);
      let reply: ModelReply;
      try {
        const onText = (piece: string) => {
          attempt.add(piece);
          options.onText?.(piece);
        };
        reply = await model.complete(call, { ...options, onText });
      } catch (error) {
        await attempt.failed(error instanceof ModelError ? error.errorClass : "unknown");
        throw error;
      }
      await attempt.end(reply.content);
      return reply;
    },
  };
}

/** Keeps the text of one attempt: one append at a time, in order. */
class KeptAttempt {
  private readonly id = randomUUID();
  private readonly stream: string;
  private waiting: StreamEntry[];
  private readonly masked = new MaskedText(knownSecrets);
  private hasText = false;
  private written = "";
  private gathered = "";
  private timer: NodeJS.Timeout | null = null;
  private busy: Promise<void> | null = null;
  private isInTrouble = false;
  private isOver = false;

  constructor(
    private readonly store: StreamStore,
    { namespace, workflowId, runId }: ModelCaller,
    { agent, model, turn, call, attempt = 1 }: ModelCall,
    private readonly onTrouble: (error: Error) => void,
  ) {
    this.stream = streamOf(namespace, workflowId);
    const about = { workflow_id: workflowId, run_id: runId, agent, model, turn, call, attempt };
    this.waiting = [{ type: "begin", attempt_id: this.id, ...about, at: Date.now() }];
    this.flush();
  }

  add(piece: string): void {
    this.hasText ||= piece !== "";
    this.keep(this.masked.push(piece));
  }

  private keep(piece: string): void {
    if (piece === "") return;
    this.written += piece;
    this.gathered += piece;
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** @param whole the whole answer: a model that does not stream has sent no pieces before */
  async end(whole: string): Promise<void> {
    if (!this.hasText) this.add(whole);
    this.keep(this.masked.end());
    await this.over({ type: "end", attempt_id: this.id, length: this.written.length });
  }

  async failed(error: string): Promise<void> {
    this.keep(this.masked.end());
    await this.over({ type: "failed", attempt_id: this.id, error });
  }

  private async over(last: StreamEntry): Promise<void> {
    this.gather();
    this.waiting.push(last);
    this.flush();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS);
    });
    await Promise.race([this.kept(), late]);
    clearTimeout(timer);
    this.isOver = true;
  }

  private async kept(): Promise<void> {
    while (this.busy !== null) await this.busy;
  }

  private gather(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.gathered === "") return;
    const from = this.written.length - this.gathered.length;
    this.waiting.push({ type: "text", attempt_id: this.id, text: this.gathered, from });
    this.gathered = "";
  }

  private flush(): void {
    this.gather();
    if (this.busy !== null || this.waiting.length === 0) return;
    this.busy = this.append().finally(() => {
      this.busy = null;
      if (!this.isOver) this.flush();
    });
  }

  /** Nothing is left out in the middle: what could not be kept is tried again, before all that follows. */
  private async append(): Promise<void> {
    const entries = this.waiting;
    this.waiting = [];
    for (;;) {
      try {
        return await this.store.append(this.stream, entries);
      } catch (error) {
        if (!this.isInTrouble) this.onTrouble(error as Error);
        this.isInTrouble = true;
        if (this.isOver) return;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    }
  }
}

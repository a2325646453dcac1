import { applyDelta, EMPTY_CONVERSATION } from "../core/agent/run/conversation";
import { jsonBytes } from "../core/base/bytes";
import type { Json } from "../core/base/json";
import { applyJsonDelta } from "../core/base/json/json-delta";
import { thrownText } from "../core/base/navigator-error";
import type { Conversation, ConversationDelta } from "../core/calls/model-call";
import type { RunAsAsked, RunDelta } from "../core/calls/run-calls";
import { ModelError } from "../models";

/** A run as it asked its model. */
interface CachedRun {
  /** The `n` of the activity that asked it. */
  n: number;
  snapshot: RunAsAsked;
}

/** The facts that a worker knows of a run that asks its model. */
interface CachedConversation {
  conversation: Conversation;
  run?: CachedRun | undefined;
}

interface Entry extends CachedConversation {
  version: number;
  run_bytes: number;
  bytes: number;
  used_at: number;
}

/** Asks a workflow for the conversation of its model call in flight. */
export type FetchConversation = (key: string) => Promise<CachedConversation & { version: number }>;

const MAX_BYTES = 64 * 1024 * 1024;
/** A mission that ended calls no model any more, and one that waits for a person may do so after days. */
const IDLE_MS = 10 * 60_000;

/**
 * The conversations that this worker caches (engine reference, section 13). A worker without the base version of a
 * delta asks the workflow for the whole conversation. The cache drops conversations that nobody has used for some
 * minutes, and the least recently used ones when it is full.
 */
export class ConversationCache {
  private readonly cached = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly fetch: FetchConversation,
    private readonly maxBytes = MAX_BYTES,
    private readonly now = Date.now,
  ) {}

  /** How many conversations are cached. */
  get size(): number {
    return this.cached.size;
  }

  /** @throws ModelError `server_error` (retryable) when the workflow cannot be asked or is at another version. */
  async conversation(delta: ConversationDelta): Promise<Conversation> {
    return (await this.cachedFor(delta)).conversation;
  }

  /**
   * The same with the run, if it can be known.
   *
   * @param n the present model call
   */
  async withRun(delta: ConversationDelta, n: number, given: RunDelta): Promise<CachedConversation> {
    const before = this.cached.get(delta.key);
    const known = before?.run?.n;
    if (given.base !== 0 && known !== given.base && known !== n) {
      // Without the run the model is asked all the same.
      const found = await this.fetched(delta).catch(() => undefined);
      const { conversation, run } = found === undefined ? await this.cachedFor(delta) : this.store(delta, found);
      return { conversation, ...(run?.n === n ? { run } : {}) };
    }
    const { conversation, run } = await this.cachedFor(delta);
    if (known === n) return { conversation, run };
    const snapshot = applyJsonDelta((given.base === 0 ? {} : before?.run?.snapshot) as Json, given.delta);
    const run_bytes = jsonBytes(given as unknown as Json) + (given.base === 0 ? 0 : (before?.run_bytes ?? 0));
    return this.store(delta, { conversation, run: { n, snapshot: snapshot as unknown as RunAsAsked } }, run_bytes);
  }

  private async cachedFor(delta: ConversationDelta): Promise<CachedConversation> {
    const cached = this.cached.get(delta.key);
    // A second attempt at the same call finds the conversation up to date already.
    if (cached?.version === delta.version) return this.store(delta, cached);
    if (delta.base === 0) return this.store(delta, { conversation: applyDelta(EMPTY_CONVERSATION, delta) });
    if (cached?.version === delta.base)
      return this.store(delta, { ...cached, conversation: applyDelta(cached.conversation, delta) });
    return this.store(delta, await this.fetched(delta));
  }

  private async fetched(delta: ConversationDelta): Promise<CachedConversation> {
    const answer = await this.fetch(delta.key).catch((error: unknown) => {
      const reason = thrownText(error);
      throw new ModelError("server_error", `the workflow could not be asked for the conversation: ${reason}`);
    });
    if (answer.version === delta.version) return answer;
    // The workflow has continued without this attempt (it was given up), or another worker answered from an old state.
    throw new ModelError(
      "server_error",
      `the workflow is at version ${answer.version} of the conversation, this call needs ${delta.version}`,
    );
  }

  private store(
    delta: ConversationDelta,
    { conversation, run }: CachedConversation,
    run_bytes = this.bytesOf(delta.key, run),
  ): CachedConversation {
    this.drop(delta.key);
    const chars = conversation.messages.reduce((sum, { content }) => sum + content.length, conversation.system.length);
    // Two bytes a character at most, and a fixed cost for each entry.
    const bytes = 2 * (chars + run_bytes) + 200;
    const used_at = this.now();
    this.cached.set(delta.key, { version: delta.version, conversation, run, run_bytes, bytes, used_at });
    this.bytes += bytes;
    for (const [key, one] of this.cached) {
      if (this.bytes <= this.maxBytes && used_at - one.used_at < IDLE_MS) break;
      this.drop(key);
    }
    return { conversation, run };
  }

  private bytesOf(key: string, run: CachedRun | undefined): number {
    const cached = this.cached.get(key);
    if (run === undefined) return 0;
    return cached?.run === run ? cached.run_bytes : jsonBytes(run as unknown as Json);
  }

  private drop(key: string): void {
    this.bytes -= this.cached.get(key)?.bytes ?? 0;
    this.cached.delete(key);
  }
}

import { applyDelta, EMPTY_CONVERSATION } from "../core/agent/run/conversation";
import type { Conversation, ConversationDelta } from "../core/calls/activities";
import { ModelError } from "../models";

/** Asks a workflow for the conversation of its model call in flight. */
export type FetchConversation = (key: string) => Promise<{ version: number; conversation: Conversation }>;

const MAX_BYTES = 64 * 1024 * 1024;
/** A mission that ended calls no model any more, and one that waits for a person may do so after days. */
const IDLE_MS = 10 * 60_000;

/**
 * The conversations that this worker holds (engine reference, section 13). A worker that does not hold the base version
 * of a delta asks the workflow for the whole conversation. Those that nobody has used for some minutes are dropped, and of more than
 * fit the least recently used ones.
 */
export class ConversationCache {
  private readonly held = new Map<
    string,
    { version: number; conversation: Conversation; bytes: number; used_at: number }
  >();
  private bytes = 0;

  constructor(
    private readonly fetch: FetchConversation,
    private readonly maxBytes = MAX_BYTES,
    private readonly now = Date.now,
  ) {}

  /** How many it holds. */
  get size(): number {
    return this.held.size;
  }

  /** @throws ModelError `server_error` (retryable) when the workflow cannot be asked or is at another version. */
  async conversation(delta: ConversationDelta): Promise<Conversation> {
    const held = this.held.get(delta.key);
    // A second attempt at the same call finds the conversation up to date already.
    if (held?.version === delta.version) return this.hold(delta, held.conversation);
    if (delta.base === 0) return this.hold(delta, applyDelta(EMPTY_CONVERSATION, delta));
    if (held?.version === delta.base) return this.hold(delta, applyDelta(held.conversation, delta));
    return this.hold(delta, await this.fetched(delta));
  }

  private async fetched(delta: ConversationDelta): Promise<Conversation> {
    const answer = await this.fetch(delta.key).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ModelError("server_error", `the workflow could not be asked for the conversation: ${reason}`);
    });
    if (answer.version === delta.version) return answer.conversation;
    // The workflow has continued without this attempt (it was given up), or another worker answered from an old state.
    throw new ModelError(
      "server_error",
      `the workflow is at version ${answer.version} of the conversation, this call needs ${delta.version}`,
    );
  }

  private hold(delta: ConversationDelta, conversation: Conversation): Conversation {
    this.drop(delta.key);
    const chars = conversation.messages.reduce((sum, { content }) => sum + content.length, conversation.system.length);
    // Two bytes a character at most, and what an entry costs by itself.
    const bytes = 2 * chars + 200;
    const used_at = this.now();
    this.held.set(delta.key, { version: delta.version, conversation, bytes, used_at });
    this.bytes += bytes;
    for (const [key, one] of this.held) {
      if (this.bytes <= this.maxBytes && used_at - one.used_at < IDLE_MS) break;
      this.drop(key);
    }
    return conversation;
  }

  private drop(key: string): void {
    this.bytes -= this.held.get(key)?.bytes ?? 0;
    this.held.delete(key);
  }
}

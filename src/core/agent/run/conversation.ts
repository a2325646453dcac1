import type { Message } from "../../calls/host";
import type { Conversation, ConversationDelta } from "../../calls/model-call";

/**
 * The conversation travels as differences: sending it whole on each of n turns would cost n^2 bytes of
 * history (engine reference, section 13).
 */

/** A conversation before its first message. */
export const EMPTY_CONVERSATION: Conversation = { system: "", messages: [] };

/** Computes the delta from `previous` to `next`. `applyDelta(previous, diff)` is `next`, always. */
export function conversationDelta(
  key: string,
  base: number,
  previous: Conversation,
  next: Conversation,
): ConversationDelta {
  const keepText = commonPrefix(previous.system, next.system);
  let keep = 0;
  while (
    keep < previous.messages.length &&
    keep < next.messages.length &&
    sameMessage(previous.messages[keep] as Message, next.messages[keep] as Message)
  )
    keep += 1;
  return {
    key,
    base,
    version: base + 1,
    system: { keep: keepText, add: next.system.slice(keepText) },
    messages: { keep, add: next.messages.slice(keep) },
  };
}

/** The conversation with what a delta adds to it. */
export function applyDelta(previous: Conversation, delta: ConversationDelta): Conversation {
  return {
    system: previous.system.slice(0, delta.system.keep) + delta.system.add,
    messages: [...previous.messages.slice(0, delta.messages.keep), ...delta.messages.add],
  };
}

function commonPrefix(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  return i;
}

/** Messages are never changed, so their further fields come in one order of keys. */
function sameMessage(a: Message, b: Message): boolean {
  return a === b || (a.role === b.role && a.content === b.content && JSON.stringify(a) === JSON.stringify(b));
}

import { streamOf } from "../../activities/call-stream";
import { type ConversationItem, MissionConversation } from "../../core/history/stream/conversation";
import type { SharedReads } from "../../node/streams/shared-reads";
import type { StreamStore } from "../../node/streams/stream-store";
import type { MissionTails, ReportedFact } from "./mission-tail";

/** From what a conversation is read. */
export interface ConversationSources {
  tails: MissionTails;
  reads: Pick<SharedReads, "more">;
  streams: Pick<StreamStore, "read">;
}

/** What is new in a conversation, and how it stands after it. */
export interface ConversationNews {
  items: ConversationItem[];
  conversation: MissionConversation;
  /** The facts of the histories in it. */
  facts: ReportedFact[];
}

/**
 * A conversation with a mission: all that happened, then what comes, until the mission is over (web reference, section 9).
 *
 * @param signal ends it; it throws nothing then
 * @throws NavigatorError `not_found`
 */
export async function* followConversation(
  { tails, reads, streams }: ConversationSources,
  { namespace, workflowId }: { namespace: string; workflowId: string },
  signal: AbortSignal,
): AsyncGenerator<ConversationNews> {
  const { tail, leave } = await tails.join(workflowId);
  const conversation = new MissionConversation(workflowId);
  const stream = streamOf(namespace, workflowId);
  const waiting: ReportedFact[] = [];
  let wake = () => {};
  const unsubscribe = tail.subscribeFacts({
    notify: (fact) => {
      waiting.push(fact);
      wake();
    },
    stir: () => wake(),
  });
  let offset = 0;
  try {
    while (!signal.aborted) {
      const isOver = tail.isOver;
      // The history comes first: all text before it is in the stream by then.
      const facts = waiting.splice(0);
      const items: ConversationItem[] = [];
      for (;;) {
        const { entries, next } = await streams.read(stream, offset);
        offset = next;
        if (entries.length === 0) break;
        items.push(...conversation.takeEntries(entries));
        if (facts.length > 0 || items.length === 0) continue;
        yield { items: items.splice(0), conversation, facts: [] };
      }
      for (const { workflow_id, fact } of facts) items.push(...conversation.takeFact(workflow_id, fact));
      if (items.length > 0 || facts.length > 0) yield { items, conversation, facts };
      if (items.some(({ type }) => type === "over")) return;
      if (waiting.length > 0) continue;
      if (isOver || tail.isStopped) return;
      await until(signal, (stop, done) => {
        wake = done;
        void reads.more(stream, offset, stop).then(done);
        if (waiting.length > 0 || tail.isOver || tail.isStopped) done();
      });
    }
  } finally {
    unsubscribe();
    leave();
  }
}

/** Waits for the first of what may happen. What still waits then is stopped. */
async function until(signal: AbortSignal, begin: (stop: AbortSignal, done: () => void) => void): Promise<void> {
  const stop = new AbortController();
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true, signal: stop.signal });
    if (signal.aborted) resolve();
    begin(stop.signal, resolve);
  });
  stop.abort();
}

import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { ConversationItem, MissionConversation } from "../../../core/history/stream/conversation";
import type { WebContext, WebEnv } from "../../context/context";
import { type ConversationSources, followConversation } from "../../events/conversation-feed";
import { problemFor } from "../../requests/problem";
import { keepAlive } from "../events";

/** How a conversation is written for a front. Each method gives what is to be sent. */
export interface ConversationEncoding {
  begin(): object[];
  take(item: ConversationItem): object[];
  /** The mission waits for people, and nothing else is under way. null: the front continues to listen. */
  waits(conversation: MissionConversation): object[] | null;
  failed(code: string, message: string): object[];
  /** The text after the last event. */
  last?: string;
}

/**
 * Answers a request with a conversation, as it happens, until the mission is over or waits for people (web reference, section 9). The
 * mission does not notice whether anybody listens.
 */
export function answerConversation(
  c: Context<WebEnv>,
  { sources, log }: { sources: ConversationSources; log: WebContext["log"] },
  place: { namespace: string; workflowId: string },
  encoding: ConversationEncoding,
): Response {
  c.header("x-accel-buffering", "no");
  return streamSSE(c, async (sse) => {
    const gone = new AbortController();
    sse.onAbort(() => gone.abort());
    gone.signal.addEventListener("abort", () => sse.abort(), { once: true });
    const alive = keepAlive(sse, gone);
    const send = async (events: readonly object[]) => {
      // In one piece: a mission that is over has thousands.
      if (events.length > 0) await sse.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    };
    try {
      await send(encoding.begin());
      for await (const { items, conversation } of followConversation(sources, place, gone.signal)) {
        await send(items.flatMap((item) => encoding.take(item)));
        if (items.some(({ type }) => type === "over")) break;
        const waiting = encoding.waits(conversation);
        if (waiting === null) continue;
        await send(waiting);
        break;
      }
      if (encoding.last !== undefined && !gone.signal.aborted) await sse.write(`data: ${encoding.last}\n\n`);
    } catch (error) {
      const { code, detail } = problemFor(error);
      if (!(error instanceof NavigatorError))
        log.error("web_request_failed", { path: c.req.path, error: String(error) });
      await send(encoding.failed(code, detail));
    } finally {
      clearInterval(alive);
    }
  });
}

import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { streamOf } from "../../activities/call-stream";
import { NavigatorError } from "../../core/base/navigator-error";
import type { SharedReads } from "../../node/streams/shared-reads";
import type { WebApp, WebContext } from "../context/context";
import type { MissionTail, MissionTails, RunEvent } from "../events/mission-tail";
import { ownWorkflowId } from "../requests/own-run";

/** So often a comment keeps the connection open, in ms: proxies close silent ones. */
const ALIVE_MS = 15_000;
/** A browser that was cut off comes back after this time, in ms. */
const RETRY_MS = 1_000;
/** The server repeats the events of this time before the last one, in ms: workers and servers have different clocks. */
const MARGIN_MS = 10_000;
/** Events that wait for a slow reader. Beyond, the server closes its connection: it reconnects, and continues where it was. */
const MAX_WAITING = 20_000;

/** Where a reader is: the time of the last event, and the offset in the stream of texts. */
interface Place {
  at: number;
  offset: number;
}

const idOf = ({ at, offset }: Place): string => `${at}.${offset}`;

/** @throws NavigatorError `invalid_input` */
function placeOf(id: string | undefined): Place {
  if (id === undefined || id === "") return { at: 0, offset: 0 };
  const [, at, offset] = /^(\d{1,15})\.(\d{1,15})$/.exec(id) ?? [];
  if (at === undefined)
    throw new NavigatorError("invalid_input", "Last-Event-ID is none of this stream.", {
      details: { path: "Last-Event-ID" },
    });
  return { at: Number(at), offset: Number(offset) };
}

/**
 * `GET /api/runs/{id}/events`: what happens in a mission, as it happens (web reference, section 5). A reader that was cut off comes
 * back with `Last-Event-ID`; it gets each entry at least once, and each piece of text exactly once.
 */
export function eventRoutes(
  app: WebApp,
  web: WebContext,
  { tails, reads }: { tails: MissionTails; reads: SharedReads },
  { aliveMs = ALIVE_MS }: { aliveMs?: number } = {},
): void {
  app.get("/api/runs/:id/events", async (c) => {
    const { client } = await web.backend();
    const workflowId = ownWorkflowId(client.project, c.req.param("id"));
    const place = placeOf(c.req.header("last-event-id") ?? c.req.query("last_event_id"));
    const { tail, leave } = await tails.join(workflowId);
    const stream = streamOf(client.temporal.options.namespace, workflowId);
    c.header("x-accel-buffering", "no");
    return streamSSE(c, async (sse) => {
      const reader = new RunReader(sse, { tail, reads, stream, place });
      const alive = keepAlive(sse, reader.gone, aliveMs);
      try {
        await reader.hello(workflowId);
        await reader.sendAll();
      } finally {
        clearInterval(alive);
        reader.unsubscribe();
        leave();
      }
    });
  });
}

/** Somebody who reads the events of a mission: its history and what its models write, in one stream. */
class RunReader {
  readonly gone = new AbortController();
  readonly unsubscribe: () => void;
  private readonly waiting: { event: RunEvent; reportedUntil: number }[] = [];
  private wake: () => void = () => {};

  constructor(
    private readonly sse: SSEStreamingApi,
    private readonly from: { tail: MissionTail; reads: SharedReads; stream: string; place: Place },
  ) {
    sse.onAbort(() => this.gone.abort());
    this.gone.signal.addEventListener("abort", () => {
      // A reader that takes nothing would block the writer for ever: ending the stream ends that wait as well.
      sse.abort();
      this.wake();
    });
    const since = from.place.at - MARGIN_MS;
    this.unsubscribe = from.tail.subscribe({
      notify: (event, reportedUntil) => {
        if (event.type === "timeline" && endOf(event.entry) < since) return;
        this.waiting.push({ event, reportedUntil });
        if (this.waiting.length > MAX_WAITING) this.gone.abort();
        this.wake();
      },
      stir: () => this.wake(),
    });
  }

  hello(workflow_id: string): Promise<void> {
    const data = JSON.stringify({ workflow_id });
    return this.sse.writeSSE({ event: "hello", data, retry: RETRY_MS, id: idOf(this.from.place) });
  }

  async sendAll(): Promise<void> {
    const { tail, reads, stream, place } = this.from;
    // A read that was shared with others may be older than the end: look for the last events once more.
    let looksAfterEnd = 0;
    while (!this.gone.signal.aborted && !tail.isStopped) {
      const { isOver } = tail;
      for (const { event, reportedUntil } of this.waiting.splice(0)) {
        place.at = Math.max(place.at, reportedUntil);
        await this.send(event.type, event);
      }
      const part = await reads.read(stream, place.offset);
      place.offset = part.next;
      if (this.waiting.length === 0) place.at = Math.max(place.at, tail.reportedUntil);
      if (part.entries.length > 0) await this.send("text", part.entries);
      if (this.waiting.length > 0 || part.entries.length > 0) continue;
      if (isOver && ++looksAfterEnd === 2) return this.send("over", {});
      if (!tail.isOver) await this.untilNews();
    }
  }

  private send(event: string, data: unknown): Promise<void> {
    return this.sse.writeSSE({ event, data: JSON.stringify(data), id: idOf(this.from.place) });
  }

  private async untilNews(): Promise<void> {
    const { tail, reads, stream, place } = this.from;
    const stop = new AbortController();
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      void reads.more(stream, place.offset, stop.signal).then(resolve);
      if (this.waiting.length > 0 || tail.isOver || tail.isStopped || this.gone.signal.aborted) resolve();
    });
    stop.abort();
  }
}

/** Comments in a silent stream. When one was not taken until the next is due, the reader has gone, or is as good as gone. */
export function keepAlive(sse: SSEStreamingApi, gone: AbortController, everyMs: number = ALIVE_MS): NodeJS.Timeout {
  let isTaken = true;
  const timer = setInterval(() => {
    if (!isTaken) return gone.abort();
    isTaken = false;
    void sse.write(": alive\n\n").then(() => {
      isTaken = true;
    });
  }, everyMs);
  return timer.unref();
}

const endOf = ({ at, duration_ms = 0 }: { at: number; duration_ms?: number }): number => at + duration_ms;

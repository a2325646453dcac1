import { runPath } from "./request";
import type { StreamEntry } from "./types";

/** The events of a run that a page handles. */
interface Hearers {
  /** The server answers, at first or again. */
  hello?(): void;
  /** Something has happened. */
  changed?(): void;
  /** Models sent text. */
  text(entries: readonly StreamEntry[]): void;
  /** The run has ended, and nothing more comes. */
  over(): void;
  /** The connection was cut off, and is made again. */
  lost?(): void;
}

/** The browser gives up for good when the server answers with an error; then we try again after this time, in ms. */
const AGAIN_MS = 1_500;

/**
 * Receives the events of a run and of those below it. After a connection that was cut off it continues after the last event: nothing
 * is lost, and nothing comes twice.
 *
 * @returns what ends it
 */
export function followEvents(workflowId: string, hearers: Hearers): () => void {
  let last = "";
  let source: EventSource | undefined;
  let reconnecting: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    source = new EventSource(runPath(workflowId, `/events${last === "" ? "" : `?last_event_id=${last}`}`));
    const on = (type: string, receive: (data: string) => void) =>
      source?.addEventListener(type, (event) => {
        const { lastEventId, data } = event as MessageEvent<string>;
        last = lastEventId || last;
        receive(data);
      });
    on("hello", () => hearers.hello?.());
    on("timeline", () => hearers.changed?.());
    on("end", () => hearers.changed?.());
    on("text", (data) => hearers.text(JSON.parse(data) as StreamEntry[]));
    on("over", () => {
      source?.close();
      hearers.over();
    });
    source.addEventListener("error", () => {
      hearers.lost?.();
      // The browser itself reconnects only if there was no answer at all.
      if (source?.readyState === EventSource.CLOSED) reconnecting = setTimeout(connect, AGAIN_MS);
    });
  };
  connect();
  return () => {
    source?.close();
    clearTimeout(reconnecting);
  };
}

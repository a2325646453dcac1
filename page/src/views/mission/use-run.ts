import { useEffect, useRef, useState } from "preact/hooks";
import { type StreamedCall, Transcript } from "../../../../src/core/stream/transcript";
import { get, runPath } from "../../api/request";
import type { RunEvent, StreamEntry } from "../../api/types";
import { type Loaded, useLoaded } from "../../parts/loaded";
import type { ShownRun } from "./run";

/** How the page hears of what happens. `lost`: the connection was cut off, and is made again. */
export type Hearing = "connecting" | "live" | "lost" | "over";

/** One run, live. */
export interface LiveRun extends Loaded<ShownRun> {
  hearing: Hearing;
  /** What models said and say, in this run and those below it. */
  streamed: StreamedCall[];
  /** Grows with everything that happens. */
  changes: number;
}

/** The sheet is read at most once in this time, in ms, however much happens. */
const GATHER_MS = 400;
/** The browser gives up for good when the server answers with an error; then we try again after this time, in ms. */
const AGAIN_MS = 1_500;

/**
 * Follows a run: its sheet is read again when something happens, and the text of models comes as it is said. After a connection
 * that was cut off it goes on behind the last event: no text is lost, and none comes twice.
 */
export function useRun(workflowId: string): LiveRun {
  const sheet = useLoaded(`run ${workflowId}`, (signal) => get<ShownRun>(runPath(workflowId), {}, signal));
  const [hearing, setHearing] = useState<Hearing>("connecting");
  const [streamed, setStreamed] = useState<StreamedCall[]>([]);
  const [changes, setChanges] = useState(0);
  const again = useRef(sheet.again);
  again.current = sheet.again;
  useEffect(() => {
    const transcript = new Transcript();
    let last = "";
    let source: EventSource | undefined;
    let reading: ReturnType<typeof setTimeout> | undefined;
    let reconnecting: ReturnType<typeof setTimeout> | undefined;
    setStreamed([]);
    setHearing("connecting");
    const changed = () => {
      reading ??= setTimeout(() => {
        reading = undefined;
        again.current();
        setChanges((n) => n + 1);
      }, GATHER_MS);
    };
    const heard = (event: Event) => {
      last = (event as MessageEvent).lastEventId || last;
    };
    const connect = () => {
      source = new EventSource(`${runPath(workflowId, "/events")}${last === "" ? "" : `?last_event_id=${last}`}`);
      source.addEventListener("hello", (event) => {
        heard(event);
        setHearing("live");
      });
      for (const type of ["timeline", "end"] satisfies RunEvent["type"][])
        source.addEventListener(type, (event) => {
          heard(event);
          changed();
        });
      source.addEventListener("text", (event) => {
        heard(event);
        for (const entry of JSON.parse((event as MessageEvent<string>).data) as StreamEntry[]) transcript.add(entry);
        // The calls change in place: their shown copies are new.
        setStreamed(transcript.calls().map((call) => ({ ...call })));
      });
      source.addEventListener("over", (event) => {
        heard(event);
        source?.close();
        setHearing("over");
        changed();
      });
      source.addEventListener("error", () => {
        setHearing("lost");
        // The browser itself goes on only if there was no answer at all.
        if (source?.readyState !== EventSource.CLOSED) return;
        reconnecting = setTimeout(connect, AGAIN_MS);
      });
    };
    connect();
    return () => {
      source?.close();
      clearTimeout(reading);
      clearTimeout(reconnecting);
    };
  }, [workflowId]);
  return { ...sheet, hearing, streamed, changes };
}

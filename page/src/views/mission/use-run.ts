import { useEffect, useState } from "preact/hooks";
import { type StreamedCall, Transcript } from "../../../../src/core/history/stream/transcript";
import { followEvents } from "../../api/follow-events";
import { get, runPath } from "../../api/request";
import { type Loaded, useLoaded } from "../../parts/loaded";
import type { ShownRun } from "./run";

/** The connection of the page to the events. `lost`: the connection was cut off, and is made again. */
export type Connection = "connecting" | "live" | "lost" | "over";

/** One run, live. */
export interface LiveRun extends Loaded<ShownRun> {
  connection: Connection;
  /** The texts of models, in this run and those below it. */
  streamed: StreamedCall[];
  /** Grows with everything that happens. */
  changes: number;
}

/** The sheet is read at most once in this time, in ms, however much happens. */
const GATHER_MS = 400;

/** Follows a run: its sheet is read again when something happens, and the text of models comes as it arrives. */
export function useRun(workflowId: string): LiveRun {
  const [connection, setConnection] = useState<Connection>("connecting");
  const [streamed, setStreamed] = useState<StreamedCall[]>([]);
  const [changes, setChanges] = useState(0);
  const sheet = useLoaded(`run ${workflowId}`, (signal) => get<ShownRun>(runPath(workflowId), {}, signal), { changes });
  useEffect(() => {
    const transcript = new Transcript();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        setChanges((n) => n + 1);
      }, GATHER_MS);
    };
    const leave = followEvents(workflowId, {
      hello: () => setConnection("live"),
      changed,
      text: (entries) => {
        for (const entry of entries) transcript.add(entry);
        // The calls change in place: their shown copies are new.
        setStreamed(transcript.calls().map((call) => ({ ...call })));
      },
      over: () => {
        setConnection("over");
        changed();
      },
      lost: () => setConnection("lost"),
    });
    return () => {
      leave();
      clearTimeout(gathering);
    };
  }, [workflowId]);
  return { ...sheet, connection, streamed, changes };
}

import type { InjectedSinks, WorkflowBundle } from "@temporalio/worker";
import type { ExportedHistory } from "../support/recorded";
import { ReplayWorker } from "../support/replay/replay-worker";
import { CHOSEN, type PlaceSinks, TELL_ALL } from "./extra-command";

/** Replays of code with places, each with one place chosen, or none. */
export class Replays {
  private readonly worker: ReplayWorker;
  private passed = new Set<string>();

  constructor(workflowBundle: WorkflowBundle) {
    const sinks: InjectedSinks<PlaceSinks> = {
      places: { passed: { fn: (_info, place) => void this.passed.add(place), callDuringReplay: true } },
    };
    this.worker = new ReplayWorker({ workflowBundle, sinks });
  }

  /** Whether the history does not replay any more with one more command at a place. */
  async notices(history: ExportedHistory, place: string): Promise<boolean> {
    return (await this.worker.replay(withMemo(history, place))) !== undefined;
  }

  /** The places that a run passes. @throws when the history does not replay as it is */
  async placesOf(history: ExportedHistory): Promise<string[]> {
    this.passed = new Set();
    const error = await this.worker.replay(withMemo(history, TELL_ALL));
    if (error) throw error;
    return [...this.passed];
  }

  close(): Promise<void> {
    return this.worker.close();
  }
}

/** The history as it would be of a run that was started with the choice in its memo. */
function withMemo({ events }: ExportedHistory, choice: string): ExportedHistory {
  const [first, ...rest] = events;
  const key = "workflowExecutionStartedEventAttributes";
  const started = first?.[key] as { memo?: { fields?: object } };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const payload = { metadata: { encoding: base64("json/plain") }, data: base64(JSON.stringify(choice)) };
  const memo = { fields: { ...started.memo?.fields, [CHOSEN]: payload } };
  return { events: [{ ...(first as ExportedHistory["events"][number]), [key]: { ...started, memo } }, ...rest] };
}

import { historyFromJSON } from "@temporalio/common/lib/proto-utils";
import { type InjectedSinks, Worker, type WorkflowBundle } from "@temporalio/worker";
import { type ExportedHistory, workflowId } from "../support/replay";
import { CHOSEN, type PlaceSinks, TELL_ALL } from "./extra-command";

/** One worker that replays histories one after another, each with one place of the code chosen, or none. */
export class Replays {
  private waiting: ((next: IteratorResult<{ history: unknown; workflowId: string }>) => void) | undefined;
  private readonly results: AsyncIterableIterator<{ error?: Error }>;
  private passed = new Set<string>();

  constructor(workflowBundle: WorkflowBundle) {
    const sinks: InjectedSinks<PlaceSinks> = {
      places: { passed: { fn: (_info, place) => void this.passed.add(place), callDuringReplay: true } },
    };
    const histories: AsyncIterable<{ history: unknown; workflowId: string }> = {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((resolve) => {
            this.waiting = resolve;
          }),
      }),
    };
    this.results = Worker.runReplayHistories({ workflowBundle, sinks }, histories);
  }

  /** Whether the history does not replay any more with one more command at a place. */
  async notices(history: ExportedHistory, place: string): Promise<boolean> {
    return (await this.replay(history, place)) !== undefined;
  }

  /** The places that a run passes. @throws when the history does not replay as it is */
  async placesOf(history: ExportedHistory): Promise<string[]> {
    this.passed = new Set();
    const error = await this.replay(history, TELL_ALL);
    if (error) throw error;
    return [...this.passed];
  }

  async close(): Promise<void> {
    const closed = this.results.next();
    await new Promise((resolve) => setImmediate(resolve));
    this.waiting?.({ done: true, value: undefined });
    await closed;
  }

  private async replay(history: ExportedHistory, choice: string): Promise<Error | undefined> {
    const result = this.results.next();
    while (this.waiting === undefined) await new Promise((resolve) => setImmediate(resolve));
    const push = this.waiting;
    this.waiting = undefined;
    push({
      done: false,
      value: { history: historyFromJSON(withMemo(history, choice)), workflowId: workflowId(history) },
    });
    const { value } = await result;
    return value?.error;
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

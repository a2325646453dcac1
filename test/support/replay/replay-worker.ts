import { historyFromJSON } from "@temporalio/common/lib/proto-utils";
import { type ReplayWorkerOptions, Worker } from "@temporalio/worker";
import { withSilentTelemetry } from "../../../src/node/telemetry/worker-telemetry";
import type { ExportedHistory } from "../recorded";

interface Replayed {
  history: unknown;
  workflowId: string;
}

/** A worker that replays histories one after another: to make one for each would take longer than the replays. */
export class ReplayWorker {
  private readonly results: AsyncIterableIterator<{ error?: Error }>;
  private push: ((next: IteratorResult<Replayed>) => void) | undefined;
  private wanted: () => void = () => {};
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: ReplayWorkerOptions) {
    const next = () =>
      new Promise<IteratorResult<Replayed>>((resolve) => {
        this.push = resolve;
        this.wanted();
      });
    const histories: AsyncIterable<Replayed> = { [Symbol.asyncIterator]: () => ({ next }) };
    this.results = Worker.runReplayHistories(withSilentTelemetry(options), histories);
  }

  /** Why a history does not replay; undefined when it does. Calls wait for each other. */
  replay(history: ExportedHistory): Promise<Error | undefined> {
    const result = this.last.then(async () => {
      // The SDK would wait for ever.
      if (history.events.every(({ eventType }) => BEFORE_THE_FIRST_TASK.test(eventType)))
        return new Error("this history has no workflow task yet: wait until its run has begun");
      const value = await this.send({
        done: false,
        value: { history: historyFromJSON(history), workflowId: workflowId(history) },
      });
      return value.done ? new Error("the replay worker has ended") : value.value.error;
    });
    this.last = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    await this.last;
    await this.send({ done: true, value: undefined });
  }

  private async send(next: IteratorResult<Replayed>): Promise<IteratorResult<{ error?: Error }>> {
    const asked = new Promise<void>((resolve) => {
      this.wanted = resolve;
    });
    const result = this.results.next();
    // What goes wrong before the worker asks for a history is the result.
    await Promise.race([asked, result]);
    this.push?.(next);
    return result;
  }
}

const BEFORE_THE_FIRST_TASK = /_WORKFLOW_EXECUTION_(STARTED|SIGNALED)$|_WORKFLOW_TASK_SCHEDULED$/;

/** Child workflow ids and idempotency keys begin with it. */
function workflowId({ events }: ExportedHistory): string {
  const started = events[0]?.workflowExecutionStartedEventAttributes as { workflowId: string } | undefined;
  if (!started) throw new Error("a history begins with WorkflowExecutionStarted");
  return started.workflowId;
}

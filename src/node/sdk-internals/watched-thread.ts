import type { Worker as Thread } from "node:worker_threads";
import type { Logger } from "@temporalio/worker";
import type { WorkerThreadClient } from "@temporalio/worker/lib/workflow/threaded-vm";

const LOOK_MS = 1_000;

/** Ends a workflow thread that has not answered for too long. The SDK then ends the worker, because its workflows are gone. */
export class WatchedThread {
  /** The calls that the thread has not answered. It works on the first one. */
  private readonly open = new Set<{ run: string | undefined }>();
  private hasAnswered = false;
  /** Looks in a row without an answer. A process that was stopped for a while does not count the looks that it missed. */
  private silent = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly client: WorkerThreadClient,
    private readonly options: { limit_ms: number; logger: Logger },
  ) {
    const send = client.send.bind(client);
    client.send = async (input) => {
      const call = { run: runOf(input) };
      this.open.add(call);
      try {
        return await send(input);
      } finally {
        this.open.delete(call);
        this.hasAnswered = true;
      }
    };
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** Whether the thread has answered everything. */
  get isIdle(): boolean {
    return this.open.size === 0;
  }

  private look(): void {
    const isSilent = this.open.size > 0 && !this.hasAnswered;
    this.hasAnswered = false;
    this.silent = isSilent ? this.silent + 1 : 0;
    if (this.silent * LOOK_MS < this.options.limit_ms) return;
    this.end();
    const [call] = this.open;
    const limit = `${this.options.limit_ms / 1_000} s`;
    this.options.logger.error("workflow_computes_too_long", { run_id: call?.run, limit, hint: HINT });
    void threadOf(this.client).terminate();
  }
}

const HINT = "the worker ends: its workflows share one thread, and this one did not return";

function runOf(input: Parameters<WorkerThreadClient["send"]>[0]): string | undefined {
  if (input.type === "create-workflow") return input.options.info.runId;
  return "runId" in input ? input.runId : undefined;
}

/** The SDK declares the field as `protected`. */
export const threadOf = (client: WorkerThreadClient): Thread =>
  (client as unknown as { workerThread: Thread }).workerThread;

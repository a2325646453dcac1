import { readFile } from "node:fs/promises";
import { url as inspectorUrl } from "node:inspector";
import { isDeepStrictEqual } from "node:util";
import { type Logger, Worker, type WorkerOptions } from "@temporalio/worker";
import type { CompiledWorkerOptions } from "@temporalio/worker/lib/worker-options";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface";
import { ThreadedVMWorkflowCreator, WorkerThreadClient } from "@temporalio/worker/lib/workflow/threaded-vm";
import { runUntilCoreFails } from "./failed-core";
import { threadOf, WatchedThread } from "./watched-thread";
import { parseBundle, type WorkflowBundle } from "./workflow-bundle";
import { earlyBundle, initOf, leaveWorkflowThread, takeWorkflowThread } from "./workflow-thread";

export interface TimedWorkerOptions extends WorkerOptions {
  /** Runs while the workflow thread starts. The SDK passes options on that it does not know. */
  whileStarting?: () => Promise<void>;
}

/**
 * The SDK's worker with another limit on how long a workflow may compute at a time (`isolateExecutionTimeout`). For its own limit the SDK
 * makes Node start and join a system thread around each call into a workflow: 0.1 to 0.3 ms each, several for each workflow task, 40 %
 * of the cost of workflows. Here one timer watches whether the workflow thread still answers. Either way a workflow that never
 * returns ends the worker.
 */
export class TimedWorker extends Worker {
  override run(): Promise<void> {
    return runUntilCoreFails(this, () => super.run());
  }

  protected static override async createWorkflowCreator(
    bundle: WorkflowBundle,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // In debug mode a person may stop a workflow for any time.
    if (options.debugMode) {
      await takeWorkflowThread()?.thread.terminate();
      return Worker.createWorkflowCreator(bundle, options, logger);
    }
    const { isolateExecutionTimeoutMs: limit_ms, workflowBundle, patchActivationCallback, ...others } = options;
    const names = [...options.activities.keys()];
    const init = initOf(bundle, names, patchActivationCallback !== undefined);
    const threads = await TimedWorker.startThreads(
      init,
      { ...others, patchActivationCallback } as CompiledWorkerOptions,
      logger,
    );
    const file = workflowBundle !== undefined && "codePath" in workflowBundle ? workflowBundle.codePath : undefined;
    return new WatchedWorkflows(threads, { limit_ms, logger, init, file });
  }

  /** Threads with the workflows of a bundle: the early one if there is one, and else those that the SDK starts. */
  private static async startThreads(
    init: ReturnType<typeof initOf>,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkerThreadClient[]> {
    const { whileStarting = async () => {} } = options as TimedWorkerOptions;
    const { workflowThreadPoolSize, patchActivationCallback, reuseV8Context = true } = options;
    const early = takeWorkflowThread();
    const fits = workflowThreadPoolSize === 1 && reuseV8Context;
    const isReady = fits && early?.init.workflowBundle === init.workflowBundle && isDeepStrictEqual(init, early.init);
    if (isReady) await whileStarting();
    if (early === undefined || !fits || !(await early.loaded())) {
      const starting = Worker.createWorkflowCreator(init.workflowBundle, options, logger);
      const [creator] = await Promise.all([starting, whileStarting()]);
      await early?.thread.terminate();
      return threadsOf(creator);
    }
    const client = new WorkerThreadClient(early.thread, logger, patchActivationCallback);
    // These workflows replace those that it has loaded.
    if (!isReady) await Promise.all([client.send(init), whileStarting()]);
    return [client];
  }

  /**
   * Reads the bundle only. The SDK also runs it in the main thread, so that a debugger finds its breakpoints, for a tenth of a second of
   * each start. It still does so with a debugger.
   */
  protected static override async getOrCreateBundle(
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowBundle | undefined> {
    const { workflowBundle: given, workflowsPath } = options;
    const isDebugged = options.debugMode || inspectorUrl() !== undefined;
    const bundle = given === undefined || workflowsPath !== undefined || isDebugged ? undefined : await bundleOf(given);
    return bundle ?? Worker.getOrCreateBundle(options, logger);
  }
}

async function bundleOf(
  given: NonNullable<CompiledWorkerOptions["workflowBundle"]>,
): Promise<WorkflowBundle | undefined> {
  if ("code" in given) return parseBundle(given.code);
  return earlyBundle(given.codePath) ?? parseBundle(await readFile(given.codePath, "utf8"));
}

/** The SDK's threads, each with its `WatchedThread`. */
class WatchedWorkflows extends ThreadedVMWorkflowCreator {
  private readonly watches: WatchedThread[];

  constructor(
    clients: WorkerThreadClient[],
    private readonly options: {
      limit_ms: number;
      logger: Logger;
      init: ReturnType<typeof initOf>;
      file: string | undefined;
    },
  ) {
    super(clients);
    this.watches = clients.map((client) => new WatchedThread(client, options));
  }

  override async destroy(): Promise<void> {
    for (const watch of this.watches) watch.end();
    if (!this.isLeft()) await super.destroy();
  }

  /** Leaves its only thread to the next worker if the thread has answered every call and has no workflows. */
  private isLeft(): boolean {
    const { init, file } = this.options;
    const [client, ...others] = this.workerThreadClients;
    if (client === undefined || others.length > 0 || client.getActiveWorkflowCount() > 0) return false;
    return this.watches.every(({ isIdle }) => isIdle) && leaveWorkflowThread(threadOf(client), init, file);
  }
}

/** The SDK declares the field as `protected`. */
const threadsOf = (creator: WorkflowCreator): WorkerThreadClient[] =>
  (creator as unknown as { workerThreadClients: WorkerThreadClient[] }).workerThreadClients;

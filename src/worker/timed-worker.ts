import { readFile } from "node:fs/promises";
import { url as inspectorUrl } from "node:inspector";
import { isDeepStrictEqual } from "node:util";
import { type Logger, Worker, type WorkerOptions } from "@temporalio/worker";
import type { CompiledWorkerOptions } from "@temporalio/worker/lib/worker-options";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface";
import { ThreadedVMWorkflowCreator, WorkerThreadClient } from "@temporalio/worker/lib/workflow/threaded-vm";
import { reportOtherVersions } from "./other-versions";
import { threadOf, WatchedThread } from "./watched-thread";
import { parseBundle, type WorkflowBundle } from "./workflow-bundle";
import { earlyBundle, initOf, leaveWorkflowThread, takeWorkflowThread } from "./workflow-thread";

export interface TimedWorkerOptions extends WorkerOptions {
  /** What the worker needs later, and may be done while the thread of its workflows starts. The SDK hands on options that it does not know. */
  meanwhile?: () => Promise<void>;
}

/**
 * The SDK's worker with another limit of how long a workflow may compute at a time (`isolateExecutionTimeout`). The SDK has Node start and
 * join a thread of the system around each call into a workflow, only to cut it off: 0.1 to 0.3 ms each, several for each workflow task, 40 %
 * of what workflows cost. Here one timer watches whether the thread of the workflows still answers. The end is the same: a
 * workflow that never comes back ends the worker.
 */
export class TimedWorker extends Worker {
  override run(): Promise<void> {
    void reportOtherVersions(this);
    return super.run();
  }

  protected static override async createWorkflowCreator(
    bundle: WorkflowBundle,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // In debug mode a person may stop a workflow for as long as they like.
    if (options.debugMode) {
      await takeWorkflowThread()?.thread.terminate();
      return Worker.createWorkflowCreator(bundle, options, logger);
    }
    const { isolateExecutionTimeoutMs: limit_ms, workflowBundle, patchActivationCallback, ...others } = options;
    const names = [...options.activities.keys()];
    const init = initOf(bundle, { names, hasPatchActivationCallback: patchActivationCallback !== undefined });
    const threads = await TimedWorker.startThreads(
      init,
      { ...others, patchActivationCallback } as CompiledWorkerOptions,
      logger,
    );
    const file = workflowBundle !== undefined && "codePath" in workflowBundle ? workflowBundle.codePath : undefined;
    return new WatchedWorkflows(threads, { limit_ms, logger, init, file });
  }

  /** Threads with the workflows of a bundle. One that was started before is as good as one that the SDK starts now. */
  private static async startThreads(
    init: ReturnType<typeof initOf>,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkerThreadClient[]> {
    const { meanwhile = async () => {} } = options as TimedWorkerOptions;
    const { workflowThreadPoolSize, patchActivationCallback, reuseV8Context = true } = options;
    const early = takeWorkflowThread();
    const fits = workflowThreadPoolSize === 1 && reuseV8Context;
    const isAsked = fits && early?.init.workflowBundle === init.workflowBundle && isDeepStrictEqual(init, early.init);
    if (isAsked) await meanwhile();
    if (early === undefined || !fits || !(await early.loaded())) {
      const starting = Worker.createWorkflowCreator(init.workflowBundle, options, logger);
      const [creator] = await Promise.all([starting, meanwhile()]);
      await early?.thread.terminate();
      return threadsOf(creator);
    }
    const client = new WorkerThreadClient(early.thread, logger, patchActivationCallback);
    // Other workflows take the place of those that it has.
    if (!isAsked) await Promise.all([client.send(init), meanwhile()]);
    return [client];
  }

  /**
   * The bundle as it is. The SDK also runs it in the main thread, so that a debugger finds its places: a tenth of a second of each start. With
   * a debugger it still does.
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

/** The SDK's threads with a watch on each. */
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

  /** Whether its only thread is left to the next worker: only one that has answered everything, and has no workflows. */
  private isLeft(): boolean {
    const { init, file } = this.options;
    const [client, ...others] = this.workerThreadClients;
    if (client === undefined || others.length > 0 || client.getActiveWorkflowCount() > 0) return false;
    return this.watches.every(({ isIdle }) => isIdle) && leaveWorkflowThread(threadOf(client), init, file);
  }
}

/** The SDK has them as `protected`. */
const threadsOf = (creator: WorkflowCreator): WorkerThreadClient[] =>
  (creator as unknown as { workerThreadClients: WorkerThreadClient[] }).workerThreadClients;

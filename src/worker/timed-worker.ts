import { readFile } from "node:fs/promises";
import { url as inspectorUrl } from "node:inspector";
import path from "node:path";
import { type Logger, Worker } from "@temporalio/worker";
import type { CompiledWorkerOptions } from "@temporalio/worker/lib/worker-options";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface";
import { ThreadedVMWorkflowCreator, type WorkerThreadClient } from "@temporalio/worker/lib/workflow/threaded-vm";
import type { WorkflowBundleWithSourceMapAndFilename } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input";
import { WatchedThread } from "./watched-thread";

/**
 * The SDK's worker with another limit of how long a workflow may compute at a time (`isolateExecutionTimeout`). The SDK has Node start and
 * join a thread of the system around each call into a workflow, only to cut it off: 0.1 to 0.3 ms each, several for each workflow task, 40 %
 * of what workflows cost. Here one timer watches whether the thread of the workflows still answers. The end is the same: a
 * workflow that never comes back ends the worker.
 */
export class TimedWorker extends Worker {
  protected static override async createWorkflowCreator(
    bundle: WorkflowBundleWithSourceMapAndFilename,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // In debug mode a person may stop a workflow for as long as they like.
    if (options.debugMode) return Worker.createWorkflowCreator(bundle, options, logger);
    const { isolateExecutionTimeoutMs: limit_ms, ...others } = options;
    const creator = await Worker.createWorkflowCreator(bundle, others as CompiledWorkerOptions, logger);
    return new WatchedWorkflows(threadsOf(creator), { limit_ms, logger });
  }

  /**
   * The bundle as it is. The SDK also runs it in the main thread, so that a debugger finds its places: a tenth of a second of each start. With
   * a debugger it still does.
   */
  protected static override async getOrCreateBundle(
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowBundleWithSourceMapAndFilename | undefined> {
    const { workflowBundle: given, workflowsPath } = options;
    const isDebugged = options.debugMode || inspectorUrl() !== undefined;
    const code = given === undefined || workflowsPath !== undefined || isDebugged ? undefined : await textOf(given);
    const at = code?.lastIndexOf(MAP) ?? -1;
    if (code === undefined || at < 0) return Worker.getOrCreateBundle(options, logger);
    const sourceMap = JSON.parse(Buffer.from(code.slice(at + MAP.length), "base64").toString());
    return { code, sourceMap, filename: path.resolve(sourceMap.file) };
  }
}

const MAP = "//# sourceMappingURL=data:application/json;base64,";

const textOf = async (given: NonNullable<CompiledWorkerOptions["workflowBundle"]>): Promise<string> =>
  "code" in given ? given.code : await readFile(given.codePath, "utf8");

/** The SDK's threads with a watch on each. */
class WatchedWorkflows extends ThreadedVMWorkflowCreator {
  private readonly watches: WatchedThread[];

  constructor(clients: WorkerThreadClient[], options: { limit_ms: number; logger: Logger }) {
    super(clients);
    this.watches = clients.map((client) => new WatchedThread(client, options));
  }

  override async destroy(): Promise<void> {
    for (const watch of this.watches) watch.end();
    await super.destroy();
  }
}

/** The SDK has them as `protected`. */
const threadsOf = (creator: WorkflowCreator): WorkerThreadClient[] =>
  (creator as unknown as { workerThreadClients: WorkerThreadClient[] }).workerThreadClients;

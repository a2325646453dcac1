import path from "node:path";
import type { Info } from "@temporalio/activity";
import type { ActivityInterceptorsFactory, Logger, Worker, WorkerOptions, WorkerPlugin } from "@temporalio/worker";
import { isObject } from "../../core/base/is-object";
import { cacheFolder } from "../../node/settings";
import type { CallUnderWay } from "./calls-file";
import { HeldCalls } from "./held-calls";
import { findLostCalls } from "./lost-calls";
import { RELEASE_ANSWER_MS, releaseLostCalls, type Served } from "./release-lost-calls";

const CALLS_NOT_KEPT = "calls_not_kept";

/**
 * Quick recovery (docs/decisions/0052): a worker keeps on disk what it has under way, and the next one on this machine gives back what
 * a killed one had. It is an addition: whatever fails here, the worker works, and time limits tell of losses.
 */
export class LostWork implements WorkerPlugin {
  readonly name = "navigator-lost-work";
  private held: HeldCalls | null = null;

  /** @param names of the activities that are kept: of others nobody knows how they take a loss */
  constructor(
    private readonly folder: string,
    private readonly names: ReadonlySet<string>,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  /**
   * @param folder the option `callsFolder` of a worker
   * @param names of Navigator's activities
   * @returns null for `false`
   */
  static of(folder: string | false | undefined, names: ReadonlySet<string>, log: Logger): LostWork | null {
    if (folder === false) return null;
    if (folder !== undefined) return new LostWork(folder, names, log);
    // The user named no folder: one that cannot be written, as in many containers, is no reason for a warning.
    const quiet = {
      warn: (event: string, fields?: object) => log[event === CALLS_NOT_KEPT ? "debug" : "warn"](event, { ...fields }),
    };
    return new LostWork(path.join(cacheFolder(), "workers"), names, quiet);
  }

  /** Gives back what was lost, and begins to keep. To be awaited before the worker runs: what it takes itself is not lost. */
  async begin(connection: Served["connection"], namespace: string): Promise<void> {
    const notKept = (error: unknown) =>
      this.log.warn(CALLS_NOT_KEPT, {
        folder: this.folder,
        error: error instanceof Error ? error.message : String(error),
      });
    try {
      const { namespaceInfo } = await connection.withDeadline(Date.now() + RELEASE_ANSWER_MS, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      const namespaceId = namespaceInfo?.id ?? "";
      const lost = await findLostCalls(this.folder, namespaceId);
      const { released, unanswered } = await releaseLostCalls({ connection, namespace, namespaceId }, lost.calls);
      if (lost.calls.length > 0)
        this.log.warn("lost_calls_released", { lost: lost.calls.length, released, ...(unanswered && { unanswered }) });
      // Those that the server was not heard of are for the next worker.
      if (unanswered === 0) await lost.forget();
      this.held = await HeldCalls.keptIn(this.folder, namespaceId, { onTrouble: notKept });
    } catch (error) {
      notKept(error);
    }
  }

  /** The worker was not made, or has ended. */
  end(): void {
    this.held?.close();
    this.held = null;
  }

  configureWorker(options: WorkerOptions): WorkerOptions {
    const { activity = [], ...others } = options.interceptors ?? {};
    return { ...options, interceptors: { ...others, activity: [this.keeping, ...activity] } };
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    try {
      await next(worker);
    } finally {
      this.end();
    }
  }

  private readonly keeping: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const { held } = this;
        const call = callOf(info);
        if (held === null || call === null || !this.names.has(info.activityType) || isBlocked(input.args))
          return next(input);
        const number = held.begin(call);
        try {
          return await next(input);
        } finally {
          held.end(number);
        }
      },
    },
  });
}

/** null: it belongs to no workflow. */
function callOf({
  workflowExecution,
  isLocal,
  activityId: id,
  attempt,
  base64TaskToken: token,
}: Info): CallUnderWay | null {
  if (workflowExecution === undefined) return null;
  const { workflowId: workflow_id, runId: run_id } = workflowExecution;
  return { workflow_id, run_id, began: Date.now(), ...(isLocal ? {} : { activity: { id, attempt, token } }) };
}

/**
 * A call that is tried until a worker has what it needs. The policy of its retries says that a loss ends it, so that the workflow
 * decides; the server does not tell this part of a policy.
 */
const isBlocked = ([input]: unknown[]): boolean => isObject(input) && input.blocked_ms !== undefined;

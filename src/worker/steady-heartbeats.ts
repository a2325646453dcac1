import type { Context } from "@temporalio/activity";
import { ActivityNotFoundError } from "@temporalio/client";
import { CancelledFailure } from "@temporalio/common";
import type {
  ActivityInterceptorsFactory,
  Logger,
  NativeConnection,
  Worker,
  WorkerOptions,
  WorkerPlugin,
} from "@temporalio/worker";
import { isObject } from "../core/base/is-object";
import { BlockingTools } from "../node/heartbeats/blocking-tools";
import { KeptHeartbeats, sendDetails } from "../node/heartbeats/kept-heartbeats";
import { MainThreadTurns } from "../node/heartbeats/main-thread-turns";
import { optionsOfConnection } from "../node/sdk-internals/connection-memory";
import { withInnerCalls } from "../node/telemetry/inner-calls";

/** A worker whose heartbeats do not depend on its main thread (decision 67). */
export class SteadyHeartbeats implements WorkerPlugin {
  readonly name = "navigator-steady-heartbeats";
  private kept: KeptHeartbeats | null = null;
  private readonly tools = new BlockingTools();
  private readonly turns = new MainThreadTurns((late_ms, cpu_ms) => {
    this.kept?.turned();
    const block = this.tools.turned(late_ms, cpu_ms);
    if (block !== null) this.log.warn("tool_blocks_worker", { ...block, hint: BLOCKS });
  });

  /** @param names of the activities that send heartbeats all the time: of others nobody knows whether a missing one has a reason */
  constructor(
    private readonly connection: NativeConnection | undefined,
    private readonly namespace: string,
    private readonly names: ReadonlySet<string>,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  configureWorker(options: WorkerOptions): WorkerOptions {
    const { activity = [], ...others } = options.interceptors ?? {};
    return { ...options, interceptors: { ...others, activity: [this.keeping, ...activity] } };
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    this.kept = this.start();
    try {
      await next(worker);
    } finally {
      this.kept?.end();
      this.kept = null;
    }
  }

  private start(): KeptHeartbeats | null {
    const options = this.connection && optionsOfConnection(this.connection);
    if (options === undefined || options.proxy !== undefined) {
      this.log.warn(OFF, { hint: options === undefined ? UNKNOWN : PROXY });
      return null;
    }
    const { address, tls, metadata, apiKey } = options;
    const connection = { ...(address && { address }), ...(tls && { tls }), ...(metadata && { metadata }) };
    return KeptHeartbeats.start({ ...connection, ...(apiKey && { apiKey }) }, this.namespace, (error) =>
      this.log.warn(OFF, { error: error.message }),
    );
  }

  private readonly keeping: ActivityInterceptorsFactory = (context) => ({
    inbound: {
      execute: async (input, next) => {
        if (context.info.isLocal || !this.names.has(context.info.activityType)) return next(input);
        this.turns.begin();
        try {
          await this.unlessLost(context);
          const { kept } = this;
          const call = () => this.watched(toolOf(context.info.activityType, input.args), () => next(input));
          return await (kept === null ? call() : kept.during(context, call));
        } finally {
          this.turns.end();
        }
      },
    },
  });

  /** @param tool of an activity that is one call; undefined: it may make several */
  private watched<T>(tool: string | undefined, activity: () => Promise<T>): Promise<T> {
    if (tool !== undefined) return this.tools.during(tool, activity);
    return withInnerCalls(
      (call, work) => (call === "model" ? work() : this.tools.during(call.input.name, work)),
      activity,
    );
  }

  /**
   * The server may have given up an activity that came while the main thread did not turn, and another worker has it. Nothing has begun
   * here yet.
   *
   * @throws CancelledFailure
   */
  private async unlessLost(context: Context): Promise<void> {
    const { heartbeatTimeoutMs, heartbeatDetails } = context.info;
    if (!heartbeatTimeoutMs || this.turns.recentBlock_ms < heartbeatTimeoutMs / 3) return;
    try {
      await sendDetails(context, heartbeatDetails);
    } catch (error) {
      if (error instanceof ActivityNotFoundError) throw new CancelledFailure("NOT_FOUND");
    }
  }
}

const ONE_CALL: readonly string[] = ["callTool", "lookUpEffect", "undoEffect"];

function toolOf(activity: string, [input]: readonly unknown[]): string | undefined {
  if (!ONE_CALL.includes(activity) || !isObject(input)) return undefined;
  return typeof input.name === "string" ? input.name : undefined;
}

const BLOCKS =
  "move work that computes to a thread or a process (docs/tools.md): until then this worker does nothing else";
const OFF = "heartbeats_not_kept";
const UNKNOWN = "the options of the connection are not known: import navigator-agents before you connect";
const PROXY = "the connection has a proxy";

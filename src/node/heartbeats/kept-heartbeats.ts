import { existsSync } from "node:fs";
import path from "node:path";
import { Worker as Thread } from "node:worker_threads";
import type { Context } from "@temporalio/activity";
import { AsyncCompletionClient, type ConnectionOptions, type WorkflowService } from "@temporalio/client";
import type { Payload } from "@temporalio/common";
import { type HeartbeatThreadData, QUIET, SHARED, type ToHeartbeatThread } from "./thread-messages";

/** The build writes it next to this file; the sources have no thread. */
const THREAD = path.join(__dirname, "heartbeat-thread.js");

type HeartbeatRequest = Parameters<WorkflowService["recordActivityTaskHeartbeat"]>[0];
type HeartbeatAnswer = ReturnType<WorkflowService["recordActivityTaskHeartbeat"]>;

/** By the context of their activity. */
const kept = new WeakMap<Context, KeptHeartbeat>();

/** Sends details at once. Every heartbeat with details is sent with this or with `passDetails`, so that none overwrites a newer one. */
export async function sendDetails(context: Context, details: unknown): Promise<void> {
  const client = kept.get(context)?.client ?? context.client.activity;
  await client.heartbeat(context.info.taskToken, details);
}

/** Passes details to the SDK, which sends them when it sends its next heartbeat. */
export function passDetails(context: Context, details: unknown): void {
  const heartbeat = kept.get(context);
  if (heartbeat === undefined) return context.heartbeat(details);
  const pass = () => context.heartbeat(details);
  // The SDK ends an activity whose details cannot be encoded.
  heartbeat.announce(details).then(pass, pass);
}

/**
 * The heartbeats of a worker while its main thread computes (decision 67): a thread with a separate connection repeats them. Of
 * each activity it has the details that were sent last.
 */
export class KeptHeartbeats {
  private readonly thread: Thread;
  private readonly shared = new Int32Array(new SharedArrayBuffer(12));
  private readonly quiet = new Set<() => void>();
  private begun = 0;
  private hasEnded = false;

  private constructor(connection: ConnectionOptions, namespace: string, onTrouble: (error: Error) => void) {
    const workerData: HeartbeatThreadData = { connection, namespace, shared: this.shared.buffer as SharedArrayBuffer };
    this.thread = new Thread(THREAD, { workerData, execArgv: [] });
    this.thread.on("message", (message) => message === QUIET && this.wake());
    this.thread.on("error", (error) => {
      this.end();
      onTrouble(error);
    });
    // Last: a listener for messages keeps the process alive.
    this.thread.unref();
  }

  /** @returns null where there is no thread: the sources run, or the connection cannot be passed to a thread */
  static start(
    connection: ConnectionOptions,
    namespace: string,
    onTrouble: (error: Error) => void,
  ): KeptHeartbeats | null {
    if (!existsSync(THREAD)) return null;
    try {
      return new KeptHeartbeats(connection, namespace, onTrouble);
    } catch (error) {
      onTrouble(error as Error);
      return null;
    }
  }

  /** Keeps the heartbeats of an activity while it runs. */
  async during<T>(context: Context, activity: () => Promise<T>): Promise<T> {
    const { heartbeatTimeoutMs, isLocal, heartbeatDetails } = context.info;
    if (this.hasEnded || isLocal || !heartbeatTimeoutMs) return activity();
    const heartbeat = new KeptHeartbeat(context, this);
    // A heartbeat without them would erase them.
    const details = heartbeatDetails === undefined ? [] : await heartbeat.encoded(heartbeatDetails).catch(() => null);
    if (details === null) return activity();
    const id = this.begin(context, heartbeatTimeoutMs, details);
    heartbeat.id = id;
    kept.set(context, heartbeat);
    try {
      return await activity();
    } finally {
      kept.delete(context);
      this.post({ end: id });
    }
  }

  private begin({ info, client }: Context, timeout_ms: number, details: Payload[]): number {
    this.begun += 1;
    const id = this.begun;
    const { identity } = client.options;
    this.post({ begin: { id, token: info.taskToken, timeout_ms, details }, identity });
    return id;
  }

  /** The details of an activity are about to be sent. Resolves when no heartbeat with earlier ones is under way. */
  async replace(id: number, details: Payload[]): Promise<void> {
    // In this order: the thread announces that it sends, and then looks for new details.
    Atomics.add(this.shared, SHARED.announced, 1);
    this.post({ replace: id, details });
    while (!this.hasEnded && Atomics.load(this.shared, SHARED.sending) === 1)
      await new Promise<void>((resolve) => this.quiet.add(resolve));
  }

  end(): void {
    this.hasEnded = true;
    this.wake();
    void this.thread.terminate();
  }

  /** The main thread turns. */
  turned(): void {
    Atomics.add(this.shared, SHARED.beats, 1);
  }

  private wake(): void {
    const waiting = [...this.quiet];
    this.quiet.clear();
    for (const resolve of waiting) resolve();
  }

  private post(message: ToHeartbeatThread): void {
    if (!this.hasEnded) this.thread.postMessage(message);
  }
}

/** The heartbeat of one activity, which the thread may repeat. */
class KeptHeartbeat {
  id = 0;
  /** Sends heartbeats, and gives the thread their details before. */
  readonly client: AsyncCompletionClient;

  constructor(
    private readonly context: Context,
    private readonly all: KeptHeartbeats,
  ) {
    this.client = this.clientThrough(async ({ details }, send) => {
      await this.all.replace(this.id, details?.payloads ?? []);
      return send();
    });
  }

  async announce(details: unknown): Promise<void> {
    await this.all.replace(this.id, await this.encoded(details));
  }

  /** Details as the SDK encodes, masks and stores them. */
  async encoded(details: unknown): Promise<Payload[]> {
    let payloads: Payload[] = [];
    const client = this.clientThrough(async (request) => {
      payloads = request.details?.payloads ?? [];
      return {} as Awaited<HeartbeatAnswer>;
    });
    await client.heartbeat(this.context.info.taskToken, details);
    return payloads;
  }

  /** The client of the worker, whose heartbeats go through a function. */
  private clientThrough(
    through: (request: HeartbeatRequest, send: () => HeartbeatAnswer) => HeartbeatAnswer,
  ): AsyncCompletionClient {
    const { connection, options } = this.context.client;
    const { workflowService } = connection;
    const service = Object.create(workflowService, {
      recordActivityTaskHeartbeat: {
        value: (request: HeartbeatRequest) =>
          through(request, () => workflowService.recordActivityTaskHeartbeat(request)),
      },
    });
    const { namespace, identity, loadedDataConverter: dataConverter } = options;
    return new AsyncCompletionClient({
      connection: Object.create(connection, { workflowService: { value: service } }),
      ...{ namespace, identity, dataConverter },
    });
  }
}

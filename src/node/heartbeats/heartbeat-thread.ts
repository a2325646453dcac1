import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Connection, isGrpcServiceError } from "@temporalio/client";
import { DueHeartbeats, type RunningActivity } from "./due-heartbeats";
import { type HeartbeatThreadData, QUIET, SHARED, type ToHeartbeatThread } from "./thread-messages";

/**
 * Sends the heartbeats of a worker whose main thread is busy, over a connection of this thread. It decides nothing about the
 * activities: it repeats the details that the main thread sent last.
 */

const LOOK_MS = 100;
const NOT_FOUND = 5;

class HeartbeatThread {
  private readonly due = new DueHeartbeats();
  private readonly shared: Int32Array;
  private readonly connection: Connection;
  private identity = "";
  private replaced = 0;
  private isSending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly data: HeartbeatThreadData,
    private readonly port: MessagePort,
  ) {
    this.shared = new Int32Array(data.shared);
    this.connection = Connection.lazy(data.connection);
    // The first heartbeat must not wait for it. One that fails is made again by the first heartbeat.
    this.connection.ensureConnected().catch(() => {});
    port.on("message", (message: ToHeartbeatThread) => this.receive(message));
  }

  private receive(message: ToHeartbeatThread): void {
    if ("begin" in message) {
      this.identity = message.identity;
      this.due.begin(message.begin, performance.now());
    } else if ("end" in message) this.due.end(message.end);
    else {
      this.due.replace(message.replace, message.details);
      this.replaced += 1;
    }
    if (!this.due.isEmpty) this.timer ??= setInterval(() => void this.look(), LOOK_MS);
    else if (this.timer !== undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  private async look(): Promise<void> {
    if (this.isSending) return;
    const now = performance.now();
    const due = this.due.due(Atomics.load(this.shared, SHARED.beats), now);
    if (due.length === 0) return;
    this.isSending = true;
    // In this order: the main thread announces details, and then looks whether this thread sends.
    Atomics.store(this.shared, SHARED.sending, 1);
    try {
      const isNewest = Atomics.load(this.shared, SHARED.announced) === this.replaced;
      if (!isNewest) return;
      this.due.sent(due, now);
      await Promise.all(due.map((activity) => this.send(activity)));
    } finally {
      Atomics.store(this.shared, SHARED.sending, 0);
      this.isSending = false;
      this.port.postMessage(QUIET);
    }
  }

  private async send({ id, token, timeout_ms, details }: RunningActivity): Promise<void> {
    const { connection, identity } = this;
    const { namespace } = this.data;
    const heartbeat = { namespace, identity, taskToken: token, details: { payloads: details } };
    try {
      await connection.withDeadline(Date.now() + timeout_ms / 2, () =>
        connection.workflowService.recordActivityTaskHeartbeat(heartbeat),
      );
    } catch (error) {
      // The main thread finds out about all else when it turns.
      if (isGrpcServiceError(error) && error.code === NOT_FOUND) this.due.end(id);
    }
  }
}

new HeartbeatThread(workerData as HeartbeatThreadData, parentPort as MessagePort);

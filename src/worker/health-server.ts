import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Worker } from "@temporalio/worker";
import { POLLER_FRESH_MS } from "../core/base/limits";
import { NavigatorError, thrownText } from "../core/base/navigator-error";
import { coreHasFailed } from "../node/sdk-internals/failed-core";

/** Frequent probes do not load the Temporal server. */
const FRESH_MS = 1_000;

/** The answers to an orchestrator's questions about the worker of this process. */
export interface WorkerHealth {
  /** With the chosen port, if none was given: `http://127.0.0.1:7410`. */
  url: string;
  /** The worker to report on. Until then the process is alive, and not ready. */
  watch(worker: WatchedWorker): void;
  close(): Promise<void>;
}

/**
 * Serves the health of a worker over HTTP, for probes of Kubernetes and health checks of containers (docs/deployment.md).
 *
 * - `GET /healthz`: 200 while the process answers and its worker has not failed.
 * - `GET /readyz`: 200 while this very worker asks the Temporal server for work; else 503 with `reasons`, also from the moment on
 *   when it is shut down.
 *
 * Open it before the worker, which may take time to start: `const health = await serveWorkerHealth({ port: 7410 });
 * const worker = await createWorker(...); health.watch(worker); await worker.run(); await health.close();`
 *
 * @param options.host default: 127.0.0.1; `0.0.0.0` in a container, where the orchestrator asks from outside. The answers need no
 *   token and have no secret.
 * @param options.port 0: any free port
 * @throws NavigatorError `port_in_use`
 */
export async function serveWorkerHealth({
  host = "127.0.0.1",
  port,
}: {
  host?: string;
  port: number;
}): Promise<WorkerHealth> {
  const health = new HealthAnswers();
  const server = createServer(({ method, url = "/" }, response) => health.answer(method, url, response));
  await listening(server, host, port);
  // The worker decides how long the process lives.
  server.unref();
  const bound = server.address() as AddressInfo;
  return {
    url: `http://${bound.address.includes(":") ? `[${bound.address}]` : bound.address}:${bound.port}`,
    watch: (watched) => {
      health.worker = watched;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

class HealthAnswers {
  worker: WatchedWorker | null = null;
  private last: { at: number; state: string | undefined; reasons: Promise<WorkerNotReady[]> } | undefined;

  answer(method: string | undefined, url: string, response: ServerResponse): void {
    if (method !== "GET" && method !== "HEAD") return answer(response, 405, { error: "GET or HEAD" });
    const [pathname] = url.split("?", 1);
    if (pathname === "/healthz") {
      const failed = hasFailed(this.worker);
      return answer(response, failed ? 503 : 200, { status: failed ? "failed" : "ok" });
    }
    if (pathname !== "/readyz") return answer(response, 404, { error: "Known: /healthz, /readyz" });
    this.reasons().then(
      (found) => answer(response, found.length === 0 ? 200 : 503, readinessOf(this.worker, found)),
      (error: unknown) => answer(response, 500, { error: thrownText(error) }),
    );
  }

  private reasons(): Promise<WorkerNotReady[]> {
    const state = this.worker?.getState();
    // Draining must be reported at once, however new the last answer is.
    if (this.last === undefined || this.last.state !== state || Date.now() - this.last.at >= FRESH_MS)
      this.last = { at: Date.now(), state, reasons: whyNotReady(this.worker) };
    return this.last.reasons;
  }
}

/** @throws NavigatorError `port_in_use` */
function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once("error", ({ message }) =>
      reject(
        new NavigatorError("port_in_use", `The worker's health cannot be served on ${host}:${port}: ${message}.`, {
          hint: "Choose another: --health-port, --health-host",
          details: { path: `${host}:${port}` },
          exitCode: 2,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Why a worker takes no new work, in a word each. */
type WorkerNotReady =
  | "starting"
  | "draining"
  | "stopped"
  | "failed"
  | "server_unreachable"
  | "namespace_not_found"
  | "no_workflow_poller"
  | "no_activity_poller";

/** How a worker describes itself: the answer of `/readyz`. It has no secret. */
interface WorkerReadiness {
  status: "ready" | "not_ready";
  /** Empty: it is ready. */
  reasons: WorkerNotReady[];
  /** `pid@host`, unless the worker has named itself; null before it is made. */
  identity: string | null;
  task_queue: string | null;
  /** Calls of models and tools that run in it now. */
  calls: number;
}

/** What of a worker is asked. */
type WatchedWorker = Pick<Worker, "connection" | "getState" | "getStatus" | "options">;

const LIMIT_MS = 3_000;
/** gRPC's number of an answer that there is no such thing. */
const NOT_FOUND = 5;
/** Temporal's numbers for the two kinds of work. */
const KINDS = { workflow: 1, activity: 2 } as const;

/**
 * Why a worker takes no new work; empty: it does. It must run, and the server must confirm that this very worker has
 * asked for tasks of its task queue, of each kind that it serves. `null`: there is no worker yet.
 */
async function whyNotReady(worker: WatchedWorker | null): Promise<WorkerNotReady[]> {
  if (worker === null) return ["starting"];
  return notRunning(worker) ?? (await notPolling(worker, Date.now()));
}

/** The answer with these reasons. The facts of the process itself are of this moment. */
function readinessOf(worker: WatchedWorker | null, reasons: WorkerNotReady[]): WorkerReadiness {
  const { identity = null, taskQueue: task_queue = null } = worker?.options ?? {};
  const calls = worker?.getStatus().numInFlightActivities ?? 0;
  return { status: reasons.length === 0 ? "ready" : "not_ready", reasons, identity, task_queue, calls };
}

/** Whether the process must be started anew: its worker ended with an error. A server that is away is no reason. */
const hasFailed = (worker: WatchedWorker | null): boolean =>
  worker !== null && (worker.getState() === "FAILED" || coreHasFailed(worker));

function notRunning(worker: WatchedWorker): WorkerNotReady[] | null {
  if (hasFailed(worker)) return ["failed"];
  const state = worker.getState();
  if (state === "RUNNING") return null;
  if (state === "INITIALIZED") return ["starting"];
  return [state === "STOPPED" ? "stopped" : "draining"];
}

async function notPolling(worker: WatchedWorker, now: number): Promise<WorkerNotReady[]> {
  const { options, connection } = worker;
  // Only a worker that replays histories has none.
  if (connection === undefined) return ["server_unreachable"];
  const asks = async (type: keyof typeof KINDS): Promise<boolean> => {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: options.taskQueue },
      taskQueueType: KINDS[type],
    });
    return (pollers ?? []).some(
      ({ identity, lastAccessTime }) =>
        identity === options.identity && now - Number(lastAccessTime?.seconds ?? 0) * 1_000 <= POLLER_FRESH_MS,
    );
  };
  const servesWorkflows = options.workflowBundle !== undefined || options.workflowsPath !== undefined;
  const servesCalls = options.activities.size > 0 && options.enableNonLocalActivities;
  try {
    const [workflow, activity] = await connection.withDeadline(Date.now() + LIMIT_MS, () =>
      Promise.all([!servesWorkflows || asks("workflow"), !servesCalls || hasNoFreeSlot(worker) || asks("activity")]),
    );
    return [...(workflow ? [] : ["no_workflow_poller" as const]), ...(activity ? [] : ["no_activity_poller" as const])];
  } catch (error) {
    return [(error as { code?: unknown } | null)?.code === NOT_FOUND ? "namespace_not_found" : "server_unreachable"];
  }
}

/** A worker with as many calls as it may have asks for no more: it is busy, and well. */
function hasNoFreeSlot(worker: WatchedWorker): boolean {
  const { activityTaskSlotSupplier: slots } = worker.options.tuner;
  const most = slots.type === "fixed-size" ? slots.numSlots : 1;
  return worker.getStatus().numInFlightNonLocalActivities >= most;
}

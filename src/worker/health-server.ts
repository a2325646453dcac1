import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NavigatorError } from "../core/base/navigator-error";
import { hasFailed, readinessOf, type WatchedWorker, type WorkerNotReady, whyNotReady } from "./worker-health";

/** Whoever asks often does not load the Temporal server. */
const FRESH_MS = 1_000;

/** The answers to an orchestrator's questions about the worker of this process. */
export interface WorkerHealth {
  /** With the chosen port, if none was given: `http://127.0.0.1:7410`. */
  url: string;
  /** The worker to tell of. Until then the process is alive, and not ready. */
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
  let worker: WatchedWorker | null = null;
  let last: { at: number; state: string | undefined; reasons: Promise<WorkerNotReady[]> } | undefined;
  const reasons = (): Promise<WorkerNotReady[]> => {
    const state = worker?.getState();
    // Draining must be told at once, however new the last answer is.
    if (last === undefined || last.state !== state || Date.now() - last.at >= FRESH_MS)
      last = { at: Date.now(), state, reasons: whyNotReady(worker) };
    return last.reasons;
  };
  const server = createServer(({ method, url = "/" }, response) => {
    if (method !== "GET" && method !== "HEAD") return answer(response, 405, { error: "GET or HEAD" });
    const [pathname] = url.split("?", 1);
    if (pathname === "/healthz") {
      const failed = hasFailed(worker);
      return answer(response, failed ? 503 : 200, { status: failed ? "failed" : "ok" });
    }
    if (pathname !== "/readyz") return answer(response, 404, { error: "Known: /healthz, /readyz" });
    reasons().then(
      (found) => answer(response, found.length === 0 ? 200 : 503, readinessOf(worker, found)),
      (error: unknown) => answer(response, 500, { error: error instanceof Error ? error.message : String(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new NavigatorError(
          "port_in_use",
          `The worker's health cannot be served on ${host}:${port}: ${error.message}.`,
          {
            hint: "Choose another: --health-port, --health-host",
            details: { path: `${host}:${port}` },
            exitCode: 2,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  // The worker decides how long the process lives.
  server.unref();
  const bound = server.address() as AddressInfo;
  return {
    url: `http://${bound.address.includes(":") ? `[${bound.address}]` : bound.address}:${bound.port}`,
    watch: (watched) => {
      worker = watched;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Runs workflows and activities: the worker of a project. */
export { createWorker, type NavigatorWorkerOptions } from "./worker/create-worker";
export { serveWorkerHealth, type WorkerHealth } from "./worker/health-server";

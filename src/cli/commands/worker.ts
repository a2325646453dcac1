import type { Worker } from "@temporalio/worker";
import { defined } from "../../core/base/defined";
import { CAPACITY_SETTINGS, WorkerCapacity } from "../../node/worker-capacity";
import { serveWorkerHealth, type WorkerHealth } from "../../worker/health-server";
import { callsLeft, OpenCalls } from "../dev/open-calls";
import { wholeNumber } from "../input/arguments";
import { portOf } from "../session/http-credentials";
import { openWorker } from "../session/worker-session";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { badUsage, EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** How long open calls may take when the worker is stopped, in seconds. */
const DRAIN_S = 20;
const MOST_DRAIN_S = 24 * 60 * 60;

interface WorkerCommand {
  cachedWorkflows?: string;
  concurrentCalls?: string;
  concurrentWorkflowTasks?: string;
  pollers?: string;
  config?: string;
  taskQueue?: string;
  metricsPort?: string;
  healthPort?: string;
  healthHost: string;
  drainSeconds: string;
}

export const workerCommands: TopCommands = {
  worker: {
    options: [
      CONFIG_OPTION,
      ["--task-queue <name>", "task queue to serve (default: NAVIGATOR_TASK_QUEUE, else navigator-PROJECT)"],
      ["--metrics-port <port>", "serve metrics for Prometheus at this port of 127.0.0.1, or at HOST:PORT"],
      ["--health-port <port>", "answer /healthz and /readyz at this port; 0 takes any free port (default: none)"],
      ["--health-host <address>", "address for --health-port; 0.0.0.0 in a container", "127.0.0.1"],
      [
        "--drain-seconds <number>",
        "how long open calls may take after SIGTERM or Ctrl-C; then they are aborted",
        String(DRAIN_S),
      ],
      ["--cached-workflows <number>", "workflows in memory, about 250 kB each (default: a share of the memory)"],
      ["--concurrent-calls <number>", "calls of models and tools at the same time (default: 100)"],
      ["--concurrent-workflow-tasks <number>", "workflow tasks at the same time (default: 40)"],
      ["--pollers <number>", "open requests for work, for calls and for workflow tasks each (default: 10)"],
    ],
    notes: `SIGTERM or Ctrl-C: it takes no new work, /readyz answers 503, open calls may end, their results are recorded, exit code 0. A second
signal ends the process at once.`,
    examples: ["navigator worker --config examples/order"],
    run: async (io: CommandIo, options: WorkerCommand) => {
      const { config, taskQueue, metricsPort, healthPort, healthHost: host } = options;
      const lastCalls_ms = drainOf(options.drainSeconds) * 1_000;
      const health = healthPort === undefined ? null : await openHealth(host, healthPort);
      try {
        const asked = defined({ config, taskQueue, metricsPort, capacity: capacityOf(options) });
        const openCalls = new OpenCalls((_, reported) => reported());
        const session = await openWorker(io, { ...asked, lastCalls_ms, start: false, openCalls });
        health?.watch(session.worker);
        const stopped = stopOnSignal(session.worker);
        io.event(
          {
            event: "worker_ready",
            project: session.project,
            task_queue: session.taskQueue,
            address: session.address,
            pid: process.pid,
            health: health?.url ?? null,
          },
          () =>
            `Worker ready${forProject(session.project)} on task queue "${session.taskQueue}" at ${session.address}. Ctrl-C stops it.${
              health === null ? "" : `\nHealth: ${health.url}/readyz`
            }`,
        );
        // The process ends with this command.
        const left = stopped.then(() => callsLeft(session.worker, openCalls, lastCalls_ms));
        const calls = await Promise.race([session.run().then(() => []), left]);
        if (calls.length > 0) session.loaded.log.warn("calls_left", { calls, hint: CALLS_LEFT });
        process.exitCode = EXIT.done;
      } finally {
        await health?.close();
      }
    },
  },
};

/**
 * The first signal lets open calls end. A second one, of either kind, ends the process: nobody listens to it.
 *
 * @returns resolves at the first signal
 */
function stopOnSignal(worker: Worker): Promise<void> {
  const signals = ["SIGINT", "SIGTERM"] as const;
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      if (worker.getState() === "RUNNING") worker.shutdown();
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

const CALLS_LEFT =
  "These tools ignored the signal that aborts their calls. The next worker repeats the calls, or a person is asked what they did. Let the tools use context.signal.";

async function openHealth(host: string, port: string): Promise<WorkerHealth> {
  return serveWorkerHealth({ host, port: portOf(port, "--health-port") });
}

function drainOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > MOST_DRAIN_S)
    throw badUsage(
      "--drain-seconds",
      `--drain-seconds must be a whole number from 0 to ${MOST_DRAIN_S}, got "${text}".`,
    );
  return seconds;
}

/** @throws NavigatorError `bad_usage` */
function capacityOf(options: WorkerCommand): WorkerCapacity {
  const { cachedWorkflows, concurrentCalls, concurrentWorkflowTasks, pollers } = options;
  const given = defined({
    cached_workflows: wholeNumber("--cached-workflows", cachedWorkflows, 1),
    concurrent_calls: wholeNumber("--concurrent-calls", concurrentCalls, 1),
    concurrent_workflow_tasks: wholeNumber("--concurrent-workflow-tasks", concurrentWorkflowTasks, 1),
    pollers: wholeNumber("--pollers", pollers, 1),
  });
  const parsed = WorkerCapacity.safeParse(given);
  if (parsed.success) return parsed.data;
  const [
    {
      path: [field],
      message,
    } = { path: [], message: "" },
  ] = parsed.error.issues;
  const option = CAPACITY_SETTINGS.find(([name]) => name === field)?.[2] ?? "";
  throw badUsage(option, `${option} ${message}.`);
}

const forProject = (project: string | null): string => (project === null ? "" : ` for project "${project}"`);

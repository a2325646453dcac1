import type { Command } from "commander";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export function registerWorker(program: Command, io: CommandIo): void {
  program
    .command("worker")
    .description("run one worker for workflows, model calls and the project's tools, until it is stopped")
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--task-queue <name>", "task queue to serve (default: NAVIGATOR_TASK_QUEUE, else navigator-PROJECT)")
    .option("--metrics-port <port>", "serve metrics for Prometheus at this port of 127.0.0.1, or at HOST:PORT")
    .addHelpText("after", "\nExample:\n  $ navigator worker --config examples/order")
    .action(async (options: { config?: string; taskQueue?: string; metricsPort?: string }) => {
      const { openWorker } = await import("../session/worker-session");
      const session = await openWorker(io, { ...options, start: false });
      process.once("SIGINT", () => session.worker.shutdown());
      process.once("SIGTERM", () => session.worker.shutdown());
      io.event(
        {
          event: "worker_ready",
          project: session.project,
          task_queue: session.taskQueue,
          address: session.address,
          pid: process.pid,
        },
        () =>
          `Worker ready${forProject(session.project)} on task queue "${session.taskQueue}" at ${session.address}. Ctrl-C stops it.`,
      );
      await session.run();
      process.exitCode = EXIT.done;
    });
}

const forProject = (project: string | null): string => (project === null ? "" : ` for project "${project}"`);

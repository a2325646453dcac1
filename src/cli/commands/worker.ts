import type { Command } from "commander";
import type { WorkerSession } from "../session/worker-session";
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

  program
    .command("dev")
    .description("run the embedded server, a worker and Mission Control (the page) until Ctrl-C")
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--page-port <number>", "port of Mission Control (default: 7400, or a free one if that is taken)")
    .addHelpText("after", "\nExample:\n  $ navigator dev --config examples/order")
    .action(async (options: { config?: string; pagePort?: string }) => {
      const { openWorker } = await import("../session/worker-session");
      const session = await openWorker(io, { ...options, start: true });
      const control = await missionControl(session, options.pagePort);
      process.once("SIGINT", () => session.worker.shutdown());
      process.once("SIGTERM", () => session.worker.shutdown());
      io.event(
        {
          event: "dev_ready",
          project: session.project,
          task_queue: session.taskQueue,
          address: session.address,
          ui: session.uiAddress,
          page: control.link,
        },
        () =>
          [
            `Mission Control: ${control.link}`,
            `Temporal at ${session.address}${session.uiAddress ? `, its Web UI at ${session.uiAddress}` : ""}`,
            `Worker ready${forProject(session.project)} on task queue "${session.taskQueue}". Ctrl-C stops ${session.startedServer ? "both" : "the worker; the server keeps running"}.`,
          ].join("\n"),
      );
      await session.run();
      await control.close();
      await session.stopServer();
      process.exitCode = EXIT.done;
    });
}

const forProject = (project: string | null): string => (project === null ? "" : ` for project "${project}"`);

/** The page beside a worker. If it cannot be opened, neither the worker nor a server that was started stays. */
async function missionControl(session: WorkerSession, pagePort: string | undefined) {
  const [web, { serverCredentials, portOf }, { LOOPBACK_HOSTS }] = await Promise.all([
    import("../session/web-session"),
    import("../session/http-credentials"),
    import("../../http/guard"),
  ]);
  try {
    const named = pagePort === undefined ? undefined : portOf(pagePort, "--page-port");
    const credentials = await serverCredentials(session.loaded.project, null);
    return await web.onFreePort(named, (port) =>
      web.openMissionControl(session.loaded, {
        ...credentials,
        host: "127.0.0.1",
        port,
        hosts: LOOPBACK_HOSTS,
        origins: [],
        anonymous: false,
        service: "mcp",
        isSecure: false,
        publicUrl: null,
        temporalUi: session.uiAddress,
      }),
    );
  } catch (error) {
    const ended = session.run();
    session.worker.shutdown();
    await ended;
    await session.stopServer();
    throw error;
  }
}

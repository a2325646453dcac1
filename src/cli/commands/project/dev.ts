import { spawn } from "node:child_process";
import path from "node:path";
import type { Command } from "commander";
import { withoutEnvFile } from "../../../node/env-file";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

export function registerDev(program: Command, io: CommandIo): void {
  program
    .command("dev")
    .description(
      "run the embedded server, a worker and Mission Control (the page); load changes, and print what happens",
    )
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--page-port <number>", "port of Mission Control (default: 7400, or a free one if that is taken)")
    .option("--start <agent>", "start a mission of this agent, once: a second start of the command finds it")
    .option("--context <json>", "what that mission is given, JSON or @FILE", "{}")
    .option("--no-log", "do not print what missions do")
    .addHelpText(
      "after",
      "\nA change of the code is loaded when it is saved. New missions use it; a running one keeps its agent, and its next\nmodel and tool calls use the new code. Code that cannot be loaded changes nothing.\n\nExample:\n  $ navigator dev --config examples/order",
    )
    .action((options: DevOptions) => dev(io, options));
}

interface DevOptions {
  config?: string;
  pagePort?: string;
  start?: string;
  context: string;
  log: boolean;
}

async function dev(io: CommandIo, options: DevOptions): Promise<void> {
  const [{ loadConfig }, { openServer }, { findConfig }, { portOf }, { PAGE_PORT }] = await Promise.all([
    import("../../../node/settings"),
    import("../../../server/open-server"),
    import("../../../project/config-file"),
    import("../../session/http-credentials"),
    import("../../session/web-session"),
  ]);
  const place = path.resolve(options.config ?? process.cwd());
  const configFile = findConfig(place);
  const named = options.pagePort === undefined ? undefined : portOf(options.pagePort, "--page-port");
  const server = await openServer(loadConfig(), { start: true, progress: (line) => io.err(line) });
  try {
    await work(io, options, {
      place,
      folder: configFile === null ? place : path.dirname(configFile),
      page: { port: named ?? PAGE_PORT, isNamed: named !== undefined, temporalUi: server.uiAddress },
      stops: server.startedByUs,
    });
  } finally {
    await server.stop();
  }
}

interface DevPlace {
  place: string;
  folder: string;
  page: { port: number; isNamed: boolean; temporalUi: string | null };
  /** Whether the server ends with the command. */
  stops: boolean;
}

async function work(io: CommandIo, options: DevOptions, { place, folder, page, stops }: DevPlace): Promise<void> {
  const [{ withSession }, { Reloader }, { LiveLog }, { NavigatorError }] = await Promise.all([
    import("../../session/session"),
    import("../../dev/reloader"),
    import("../../dev/live-log"),
    import("../../../core/base/navigator-error"),
  ]);
  const stopping = signals();
  await withSession(io, false, async ({ client, address, uiAddress }) => {
    let link = "";
    const log = options.log ? new LiveLog(io, client, () => new URL(link).origin) : null;
    const env = withoutEnvFile(process.env);
    const running = async () => (await log?.running()) ?? [];
    const reloader = new Reloader(io, { place, folder, env, page, running });
    try {
      const started = await reloader.start();
      if ("error" in started) {
        const { code, message, hint, details } = started.error;
        throw new NavigatorError(code as "bad_project", message, {
          ...(hint === undefined ? {} : { hint }),
          ...(details === undefined ? {} : { details: details as object }),
        });
      }
      link = started.link;
      io.event(
        {
          event: "dev_ready",
          project: client.project,
          task_queue: started.taskQueue,
          address,
          ui: uiAddress,
          page: link,
          agents: started.agents,
        },
        () =>
          [
            `Mission Control: ${link}`,
            `Temporal at ${address}${uiAddress ? `, its Web UI at ${uiAddress}` : ""}`,
            `Worker ready${client.project === null ? "" : ` for project "${client.project}"`} on task queue "${started.taskQueue}". Changes are loaded when you save them. Ctrl-C stops ${stops ? "all of it" : "the worker; the server keeps running"}.`,
          ].join("\n"),
      );
      log?.begin();
      if (options.start !== undefined) await startFirst(io, options.start, options);
      await stopping.first;
    } finally {
      await log?.close();
      await reloader.stop(stopping.isUrgent);
      stopping.forget();
    }
    return EXIT.done;
  });
}

/** `navigator run`, as a user would start it. A mission that was started before goes on, or is over. */
async function startFirst(io: CommandIo, agent: string, { config, context }: DevOptions): Promise<void> {
  const args = ["run", agent, "--id", `first-${agent}`, "--join", "--detach", "--context", context];
  const main = path.join(__dirname, "../../main.js");
  const child = spawn(process.execPath, [main, ...args, ...(config === undefined ? [] : ["--config", config])], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) io.err(said.trimEnd());
  else if (said.includes("This run was started before"))
    io.event(
      { event: "first_mission", id: `first-${agent}` },
      () =>
        `first-${agent} was started before: navigator log first-${agent}. Start another: navigator run ${agent} --detach --context '${context}'`,
    );
}

/** The first signal stops the command, the second one cuts off open calls. */
function signals(): { first: Promise<void>; isUrgent(): boolean; forget(): void } {
  let count = 0;
  let stop = () => {};
  const first = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const listener = () => {
    count += 1;
    stop();
  };
  process.on("SIGINT", listener).on("SIGTERM", listener);
  return {
    first,
    isUrgent: () => count > 1,
    forget: () => void process.off("SIGINT", listener).off("SIGTERM", listener),
  };
}

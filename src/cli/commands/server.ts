import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { CommandIo } from "../terminal/io";

const CONFIG_HELP = "the project, as its folder or its navigator.config file (default: this folder)";

/** Whoever stops the server may have to wait for a call, and not for minutes. */
const LAST_CALLS_MS = 30_000;
const OPEN =
  " A call is still open in its worker: once the server is back it is made again, or a person is asked about it (navigator review list).";

/** `navigator server start|stop|status|install|backup|restore`: the embedded server of this project. */
export function registerServer(program: Command, io: CommandIo): void {
  const server = program
    .command("server")
    .description("the embedded Temporal server: start, stop, status, install, backup, restore");

  server
    .command("start")
    .description("start the embedded server in the background; its data is kept in .navigator")
    .option("--port <port>", "gRPC port; the Web UI is at port + 1000 (default: NAVIGATOR_PORT or 7233)", parsePort)
    .option("--config <file>", CONFIG_HELP)
    .addHelpText("after", "\nExample:\n  $ navigator server start --port 7300")
    .action(async ({ config: place, ...options }: { port?: number; config?: string }) => {
      const { startServer, config, log, progress } = await load(io, place);
      const found = await startServer({ config, log, progress, ...options });
      io.result(found, () =>
        found.source === "listening"
          ? `A Temporal server ${found.version} is already running at ${found.address}${found.uiAddress ? `, Web UI ${found.uiAddress}` : ""}.`
          : `Temporal ${found.version} runs at ${found.address}, Web UI ${found.uiAddress}.\nStop it with: navigator server stop`,
      );
    });

  server
    .command("stop")
    .description(
      "stop the embedded server that was started here, and the background worker of MCP sessions; the data is kept",
    )
    .option("--config <file>", CONFIG_HELP)
    .addHelpText("after", "\nExample:\n  $ navigator server stop")
    .action(async (options: { config?: string }) => {
      const [{ stopServer, config }, { endBackgrounds }] = await Promise.all([
        load(io, options.config),
        import("../../server/background/background"),
      ]);
      const background = await endBackgrounds(config.home, LAST_CALLS_MS);
      const stopped = await stopServer(config);
      io.result({ stopped, background }, () =>
        [
          ...background.map(
            ({ pid, folder, calls_open }) =>
              `Ended the background process of ${folder} (pid ${pid}).${calls_open ? OPEN : ""}`,
          ),
          stopped
            ? `Stopped the Temporal server at ${stopped.address} (pid ${stopped.pid}).`
            : "No embedded server runs.",
        ].join("\n"),
      );
    });

  server
    .command("status")
    .description(
      "show whether the embedded server runs and where, and the background process of MCP sessions; exit code 3 if no server runs",
    )
    .option("--config <file>", CONFIG_HELP)
    .addHelpText("after", "\nExample:\n  $ navigator server status")
    .action(async (options: { config?: string }) => {
      const [{ serverStatus, config, EXIT }, { backgroundsOf }, { backgroundText }] = await Promise.all([
        load(io, options.config),
        import("../../server/background/record"),
        import("../../server/background/background-text"),
      ]);
      const running = serverStatus(config);
      const background = backgroundsOf(config.home);
      io.result({ running: running !== null, server: running, background }, () =>
        [
          running
            ? `Temporal ${running.version} runs at ${running.address} (pid ${running.pid}, since ${running.startedAt}), Web UI ${running.uiAddress}.`
            : "The embedded server does not run. Start it with: navigator server start",
          ...background.map(backgroundText),
        ].join("\n"),
      );
      if (!running) process.exitCode = EXIT.noServer;
    });

  server
    .command("install")
    .description("install the Temporal CLI into the cache, without starting it")
    .addHelpText("after", "\nExample:\n  $ navigator server install")
    .action(async () => {
      const { config, progress } = await load(io);
      const { ensureCli } = await import("../../server/temporal-cli");
      const cli = await ensureCli({ ...config, env: process.env, progress });
      io.result(cli, () => `Temporal CLI ${cli.version} at ${cli.executable}`);
    });

  server
    .command("backup <file>")
    .description(
      "copy the database of the embedded server into an archive; the server is away for about a second, and missions continue",
    )
    .option("--config <file>", CONFIG_HELP)
    .addHelpText("after", "\nExample:\n  $ navigator server backup before-upgrade.tar.gz")
    .action(async (file: string, options: { config?: string }) => {
      const [{ config, progress }, { backupServer }, { untilSignal }] = await Promise.all([
        load(io, options.config),
        import("../../server/backup"),
        import("../terminal/until-signal"),
      ]);
      const place = { config, file, progress };
      const made = await untilSignal(
        (signal) => backupServer({ ...place, signal }),
        () => progress("Stopped: no backup was made."),
      );
      const away = made.away_ms === null ? "" : ` The server was away for ${(made.away_ms / 1_000).toFixed(1)} s.`;
      io.result(made, () => `Backed up ${kilobytes(made.bytes)} of ${made.home} to ${file}.${away}`);
    });

  server
    .command("restore <file>")
    .description("put the database of a backup in place of the present one, which is kept; the server must be stopped")
    .option("--config <file>", CONFIG_HELP)
    .addHelpText("after", "\nExample:\n  $ navigator server restore before-upgrade.tar.gz")
    .action(async (file: string, options: { config?: string }) => {
      const [{ config, progress }, { restoreServer }, { untilSignal }] = await Promise.all([
        load(io, options.config),
        import("../../server/restore"),
        import("../terminal/until-signal"),
      ]);
      if (options.config === undefined) await refuseStrangeFolder(config.home);
      const place = { config, file, progress };
      const restored = await untilSignal(
        (signal) => restoreServer({ ...place, signal }),
        () => progress("Stopped: nothing was restored."),
      );
      io.result(restored, () =>
        [
          `Restored ${kilobytes(restored.bytes)} into ${restored.home}, as it was at ${restored.at}.`,
          ...(restored.kept === null ? [] : [`The database that was here is kept: ${restored.kept}`]),
          "Start the server and the workers: navigator server start",
        ].join("\n"),
      );
    });
}

/** A database in a folder where nobody looks for it helps nobody. */
async function refuseStrangeFolder(home: string): Promise<void> {
  const [{ existsSync }, { findConfig }, { NavigatorError }, { databaseFile }] = await Promise.all([
    import("node:fs"),
    import("../../project/config-file"),
    import("../../core/base/navigator-error"),
    import("../../server/dev-server"),
  ]);
  const isNamed = (process.env.NAVIGATOR_HOME ?? "").trim() !== "";
  if (isNamed || existsSync(databaseFile(home)) || findConfig(process.cwd(), { mayBeMissing: true }) !== null) return;
  throw new NavigatorError("not_found", `${process.cwd()} has no navigator.config file, and no data of a server.`, {
    hint: "Nothing was changed. Run the command in the folder of the project, or name it: --config FOLDER.",
    details: { path: process.cwd(), kind: "project" },
  });
}

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1_000).toLocaleString("en")} kB`;

/** @param place the project whose server is meant, if it is not the one of this folder */
async function load(io: CommandIo, place?: string) {
  const [server, { loadConfig }, { createLogger }, { EXIT }, { findConfig }, { atProject }] = await Promise.all([
    import("../../server/open-server"),
    import("../../node/settings"),
    import("../../node/log"),
    import("../terminal/exit"),
    import("../../project/config-file"),
    import("../session/project-home"),
  ]);
  const named = place === undefined ? null : path.resolve(place);
  // A folder without a project is a mistake, if somebody names it.
  if (named !== null) findConfig(named);
  const config = named === null ? loadConfig() : atProject(loadConfig(), named).config;
  return { ...server, config, log: createLogger(config.logLevel), progress: (line: string) => io.err(line), EXIT };
}

export function parsePort(text: string): number {
  const port = Number(text);
  // The Web UI takes port + 1000.
  if (!Number.isInteger(port) || port < 1 || port > 64_535)
    throw new InvalidArgumentError("It must be a number from 1 to 64535.");
  return port;
}

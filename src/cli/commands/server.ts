import { existsSync } from "node:fs";
import path from "node:path";
import { InvalidArgumentError } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import { createLogger } from "../../node/log";
import { loadConfig } from "../../node/settings";
import { findConfig } from "../../project/config-file";
import { endBackgrounds } from "../../server/background/background";
import { backgroundText } from "../../server/background/background-text";
import { backgroundsOf } from "../../server/background/record";
import { backupServer } from "../../server/backup";
import { databaseFile } from "../../server/dev-server";
import { serverStatus, startServer, stopServer } from "../../server/open-server";
import { restoreServer } from "../../server/restore";
import { ensureCli } from "../../server/temporal-cli";
import { atProject } from "../session/project-home";
import type { TopCommands } from "../terminal/command";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { untilSignal } from "../terminal/until-signal";

const CONFIG_HELP = "the project, as its folder or its navigator.config file (default: this folder)";

/** A person who stops the server may have to wait for a call, but not for minutes. */
const LAST_CALLS_MS = 30_000;
const OPEN =
  " A call is still open in its worker: once the server is back it is made again, or a person is asked about it (navigator review list).";

/** `navigator server start|stop|status|install|backup|restore`: the embedded server of this project. */
export const serverCommands: TopCommands = {
  server: {
    commands: [
      {
        name: "start",
        about: "start the embedded server in the background; its data is kept in .navigator",
        options: [
          ["--port <port>", "gRPC port; the Web UI is at port + 1000 (default: NAVIGATOR_PORT or 7233)", parsePort],
          ["--config <file>", CONFIG_HELP],
        ],
        examples: ["navigator server start --port 7300"],
        run: async (io: CommandIo, { config: place, ...options }: { port?: number; config?: string }) => {
          const { config, log, progress } = load(io, place);
          const found = await startServer({ config, log, progress, ...options });
          io.result(found, () =>
            found.source === "listening"
              ? `A Temporal server ${found.version} is already running at ${found.address}${found.uiAddress ? `, Web UI ${found.uiAddress}` : ""}.`
              : `Temporal ${found.version} runs at ${found.address}, Web UI ${found.uiAddress}.\nStop it with: navigator server stop`,
          );
        },
      },
      {
        name: "stop",
        about:
          "stop the embedded server that was started here, and the background worker of MCP sessions; the data is kept",
        options: [["--config <file>", CONFIG_HELP]],
        examples: ["navigator server stop"],
        run: async (io: CommandIo, options: { config?: string }) => {
          const { config } = load(io, options.config);
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
        },
      },
      {
        name: "status",
        about:
          "show whether the embedded server runs and where, and the background process of MCP sessions; exit code 3 if no server runs",
        options: [["--config <file>", CONFIG_HELP]],
        examples: ["navigator server status"],
        run: async (io: CommandIo, options: { config?: string }) => {
          const { config } = load(io, options.config);
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
          return running ? EXIT.done : EXIT.noServer;
        },
      },
      {
        name: "install",
        about: "install the Temporal CLI into the cache, without starting it",
        examples: ["navigator server install"],
        run: async (io: CommandIo) => {
          const { config, progress } = load(io);
          const cli = await ensureCli({ ...config, env: process.env, progress });
          io.result(cli, () => `Temporal CLI ${cli.version} at ${cli.executable}`);
        },
      },
      {
        name: "backup <file>",
        about:
          "copy the database of the embedded server into an archive; the server is away for about a second, and missions continue",
        options: [["--config <file>", CONFIG_HELP]],
        examples: ["navigator server backup before-upgrade.tar.gz"],
        run: async (io: CommandIo, file: string, options: { config?: string }) => {
          const { config, progress } = load(io, options.config);
          const place = { config, file, progress };
          const made = await untilSignal(
            (signal) => backupServer({ ...place, signal }),
            () => progress("Stopped: no backup was made."),
          );
          const away = made.away_ms === null ? "" : ` The server was away for ${(made.away_ms / 1_000).toFixed(1)} s.`;
          io.result(made, () => `Backed up ${kilobytes(made.bytes)} of ${made.home} to ${file}.${away}`);
        },
      },
      {
        name: "restore <file>",
        about: "replace the database by that of a backup; the present one is kept; the server must be stopped",
        options: [["--config <file>", CONFIG_HELP]],
        examples: ["navigator server restore before-upgrade.tar.gz"],
        run: async (io: CommandIo, file: string, options: { config?: string }) => {
          const { config, progress } = load(io, options.config);
          if (options.config === undefined) refuseStrangeFolder(config.home);
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
        },
      },
    ],
  },
};

/** A database in a folder where nobody looks for it helps nobody. */
function refuseStrangeFolder(home: string): void {
  const isNamed = (process.env.NAVIGATOR_HOME ?? "").trim() !== "";
  if (isNamed || existsSync(databaseFile(home)) || findConfig(process.cwd(), { mayBeMissing: true }) !== null) return;
  throw new NavigatorError("not_found", `${process.cwd()} has no navigator.config file, and no data of a server.`, {
    hint: "Nothing was changed. Run the command in the folder of the project, or name it: --config FOLDER.",
    details: { path: process.cwd(), kind: "project" },
  });
}

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1_000).toLocaleString("en")} kB`;

/** @param place the project of the server, if it is not the one of this folder */
function load(io: CommandIo, place?: string) {
  const named = place === undefined ? null : path.resolve(place);
  // A folder without a project is a mistake, if somebody names it.
  if (named !== null) findConfig(named);
  const config = named === null ? loadConfig() : atProject(loadConfig(), named).config;
  return { config, log: createLogger(config.logLevel), progress: (line: string) => io.err(line) };
}

/** Reads the option of a port. @throws InvalidArgumentError */
export function parsePort(text: string): number {
  const port = Number(text);
  // The Web UI takes port + 1000.
  if (!Number.isInteger(port) || port < 1 || port > 64_535)
    throw new InvalidArgumentError("It must be a number from 1 to 64535.");
  return port;
}

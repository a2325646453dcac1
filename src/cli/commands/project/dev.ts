import { spawn } from "node:child_process";
import path from "node:path";
import { withoutEnvFile } from "../../../node/env-file";
import { type Config, loadConfig } from "../../../node/settings";
import { shellWord } from "../../../node/shell-word";
import { findConfig } from "../../../project/config-file";
import { endBackgrounds } from "../../../server/background/background";
import { type OpenServer, openServer } from "../../../server/open-server";
import { Reloader } from "../../dev/reloader";
import { loginNote, PAGE_PORT, portOf } from "../../session/http-credentials";
import { atProject } from "../../session/project-home";
import { CONFIG_OPTION, type TopCommands } from "../../terminal/command";
import { reportedError } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

export const devCommands: TopCommands = {
  dev: {
    options: [
      CONFIG_OPTION,
      ["--page-port <number>", "port of Mission Control (default: 7400, or a free one if that is taken)"],
      ["--start <agent>", "start a mission of this agent, once: a second start of the command finds it"],
      ["--context <json>", "what that mission is given, JSON or @FILE", "{}"],
      ["--no-log", "do not print what missions do"],
    ],
    notes: `A change of the code is loaded when it is saved. New missions use it; a running one keeps its agent, and its next
model and tool calls use the new code. If a change cannot be loaded, the code
before it stays in use.`,
    examples: ["navigator dev --config examples/order"],
    run: dev,
  },
};

interface DevOptions {
  config?: string;
  pagePort?: string;
  start?: string;
  context: string;
  log: boolean;
}

async function dev(io: CommandIo, options: DevOptions): Promise<void> {
  const place = path.resolve(options.config ?? process.cwd());
  const configFile = findConfig(place);
  const named = options.pagePort === undefined ? undefined : portOf(options.pagePort, "--page-port");
  const config = loadConfig();
  const server = await openServer(config, { start: true, progress: (line) => io.err(line) });
  try {
    await work(io, options, {
      config,
      place,
      folder: configFile === null ? place : path.dirname(configFile),
      page: { port: named ?? PAGE_PORT, isNamed: named !== undefined, temporalUi: server.uiAddress },
      server,
    });
  } finally {
    await server.stop();
  }
}

/** This worker serves MCP sessions from now on: one in the background would do half of the work, unseen. */
async function takeOver(io: CommandIo, given: Config, place: string): Promise<void> {
  const ended = await endBackgrounds(atProject(given, place).config.home);
  if (ended.length > 0)
    io.err("The background worker of MCP sessions has ended: this one serves them. It comes back when they need it.");
}

interface DevPlace {
  config: Config;
  place: string;
  folder: string;
  page: { port: number; isNamed: boolean; temporalUi: string | null };
  server: OpenServer;
}

/** This process does not load the project's code: what hangs, prints or crashes in it is another's. */
async function work(
  io: CommandIo,
  options: DevOptions,
  { config, place, folder, page, server }: DevPlace,
): Promise<void> {
  const stopping = signals();
  const env = withoutEnvFile(process.env);
  const reloader = new Reloader(io, { place, folder, env, page, isLogged: options.log });
  try {
    const started = await Promise.race([reloader.start(), stopping.first.then(() => null)]);
    if (started === null) return;
    if ("error" in started) throw reportedError(started.error);
    const { project, taskQueue, link, tokenFile, agents } = started;
    const { address, uiAddress } = server;
    io.event({ event: "dev_ready", project, task_queue: taskQueue, address, ui: uiAddress, page: link, agents }, () =>
      [
        `Mission Control: ${link}${loginNote(tokenFile)}`,
        `Temporal at ${address}${uiAddress ? `, its Web UI at ${uiAddress}` : ""}`,
        `Worker ready${project === null ? "" : ` for project "${project}"`} on task queue "${taskQueue}". Changes are loaded when you save them. Ctrl-C stops ${server.startedByUs ? "all of it" : "the worker; the server keeps running"}.`,
      ].join("\n"),
    );
    reloader.beginLog();
    await takeOver(io, config, place);
    if (options.start !== undefined) await startFirst(io, options.start, options, stopping.first);
    await stopping.first;
  } finally {
    await reloader.stop(stopping.isUrgent);
    stopping.forget();
  }
}

/** Runs `navigator run` as a user would. A mission that was started before continues, or is over. */
async function startFirst(
  io: CommandIo,
  agent: string,
  { config, context }: DevOptions,
  stopped: Promise<void>,
): Promise<void> {
  const args = ["run", agent, "--id", `first-${agent}`, "--join", "--detach", "--context", context];
  const main = path.join(__dirname, "../../main.js");
  const child = spawn(process.execPath, [main, ...args, ...(config === undefined ? [] : ["--config", config])], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
    child.kill();
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (isStopped) return;
  if (code !== 0) io.err(output.trimEnd());
  else if (output.includes("This run was started before"))
    io.event(
      { event: "first_mission", id: `first-${agent}` },
      () =>
        `first-${agent} was started before: navigator log ${shellWord(`first-${agent}`)}. Start another: navigator run ${shellWord(agent)} --detach --context ${shellWord(context)}`,
    );
}

/** The first signal stops the command, the second one cuts off open calls, and nobody listens to a third one. */
function signals(): { first: Promise<void>; isUrgent(): boolean; forget(): void } {
  let count = 0;
  let stop = () => {};
  const first = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const listener = () => {
    count += 1;
    if (count > 1) forget();
    stop();
  };
  const forget = () => void process.off("SIGINT", listener).off("SIGTERM", listener);
  process.on("SIGINT", listener).on("SIGTERM", listener);
  return {
    first,
    isUrgent: () => count > 1,
    forget,
  };
}

#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { readEnvFile } from "../node/env-file";
import { packageVersion } from "../node/package-version";
import { knownSecrets } from "../node/secrets/known-secrets";
import { registerProve } from "./commands/prove";
import { addCommand, type TopCommands } from "./terminal/command";
import { EXIT, type ExitCode, errorReport, exitCodeOf } from "./terminal/exit";
import { type CommandIo, createIo, type Streams } from "./terminal/io";
import { takesProjectName, unify, usageError, wantsJson } from "./terminal/parse";
import { printable } from "./terminal/printable";
import { createColors } from "./terminal/render";

/**
 * The commands in the order of the help. The module of a command is loaded when a command line names it, so that
 * `navigator --help` starts at once. A command throws errors for people to read.
 */
const COMMANDS: readonly (readonly [name: string, about: string, load: () => TopCommands])[] = [
  [
    "init [folder]",
    "make a project: an agent, a tool, a test, a graph; in a package, add the missing parts",
    () => require("./commands/project/init").initCommands,
  ],
  [
    "dev",
    "run the embedded server, a worker and Mission Control (the page); load changes, and print what happens",
    () => require("./commands/project/dev").devCommands,
  ],
  [
    "demo",
    "the order mission: a worker is killed after the money moved, a person approves, the parcel ships; the card is charged once",
    () => require("./commands/demo").demoCommands,
  ],
  [
    "run <agent>",
    "one agent run: AGENT is a file (YAML or JSON) or the name of one of the project's agents",
    () => require("./commands/run").runCommands,
  ],
  [
    "chat [agent]",
    "talk to an agent of the project; its answers are shown as they arrive",
    () => require("./commands/chat").chatCommands,
  ],
  [
    "workflow",
    "workflow definitions: ready ones, files and loaded ones",
    () => require("./commands/workflow/workflow").workflowCommands,
  ],
  ["task", "tasks on workflow graphs", () => require("./commands/task/task").taskCommands],
  ["sync", "task moves that your own store has not confirmed yet", () => require("./commands/sync").syncCommands],
  ["plan", "plans: tasks for agents and their dependencies", () => require("./commands/plan/plan").planCommands],
  [
    "list",
    "list missions, tasks and plans: open ones first, then the newest; needs no worker",
    () => require("./commands/missions/list").listCommands,
  ],
  [
    "cancel <id>",
    "ask a mission, task or plan to stop, with all below it, and show its effects",
    () => require("./commands/missions/end").endCommands,
  ],
  [
    "terminate <id>",
    "end a mission, task or plan at once, without asking it; needs no worker",
    () => require("./commands/missions/end").endCommands,
  ],
  [
    "pause <id>",
    "pause a mission, task or plan with all below it: it begins nothing new until it is resumed",
    () => require("./commands/missions/pause").pauseCommands,
  ],
  ["resume <id>", "resume a paused mission, task or plan", () => require("./commands/missions/pause").pauseCommands],
  [
    "retry <id>",
    "retry a mission, task or plan that has ended: finished work is not done a second time",
    () => require("./commands/missions/retry").retryCommands,
  ],
  [
    "batch",
    "cancel, pause, resume, retry or terminate the missions of a list, with a preview and a limit",
    () => require("./commands/missions/batch").batchCommands,
  ],
  [
    "schedule",
    "agents that the server starts by the clock",
    () => require("./commands/schedule/schedule").scheduleCommands,
  ],
  ["review", "the inbox: reviews that wait for a person", () => require("./commands/review").reviewCommands],
  [
    "people",
    "who may decide in a project: people, groups and services with their public keys (people.yaml)",
    () => require("./commands/people/people").peopleCommands,
  ],
  [
    "login",
    "log in to this project; creates your key if you have none",
    () => require("./commands/login").loginCommands,
  ],
  [
    "logout",
    "be nobody in this project; your key stays on this machine",
    () => require("./commands/login").loginCommands,
  ],
  [
    "whoami",
    "who you are in this project, your public key, and whether the project knows it",
    () => require("./commands/login").loginCommands,
  ],
  ["journal", "show, write or export the journal of a mission", () => require("./commands/journal").journalCommands],
  [
    "log [id]",
    "what a mission or task and its child runs did, turn by turn, read from the history",
    () => require("./commands/log").logCommands,
  ],
  [
    "trace [id]",
    "Turns, model calls and tool calls of a mission with their durations; the mission may be running or ended, no worker needed",
    () => require("./commands/trace").traceCommands,
  ],
  [
    "effects [id]",
    "what a mission, task or plan did to the world, each effect once, read from the history",
    () => require("./commands/effects").effectsCommands,
  ],
  [
    "undo <id>",
    "take back what a mission, task or plan did to the world, the last effect first",
    () => require("./commands/undo").undoCommands,
  ],
  [
    "ledger",
    "records, effects and decisions of a mission as a file that anybody can check",
    () => require("./commands/ledger/ledger").ledgerCommands,
  ],
  [
    "why <id>",
    "why an effect came about: program, turn, model, plan step or node, who approved it, budget",
    () => require("./commands/why").whyCommands,
  ],
  ["lisp", "run PTC-Lisp: one program, or a REPL when none is given", () => require("./commands/lisp").lispCommands],
  [
    "simulate",
    "run a scenario in memory, without any server",
    () => require("./commands/simulate/simulate").simulateCommands,
  ],
  [
    "tools",
    "list the project's tools from code, MCP servers and OpenAPI documents; starts the servers that they need",
    () => require("./commands/tools").toolsCommands,
  ],
  ["mcp", "the MCP server: on stdin and stdout, or over HTTP", () => require("./commands/mcp").mcpCommands],
  [
    "token",
    "bearer tokens of people and services, for navigator mcp --http",
    () => require("./commands/token").tokenCommands,
  ],
  [
    "keys",
    "encryption keys for the data that the Temporal server keeps of the project",
    () => require("./commands/keys/keys").keysCommands,
  ],
  [
    "worker",
    "run one worker for workflows, model calls and the project's tools, until it is stopped",
    () => require("./commands/worker").workerCommands,
  ],
  ["web", "Mission Control: the page and its API, until it is stopped", () => require("./commands/web").webCommands],
  [
    "server",
    "the embedded Temporal server: start, stop, status, install, backup, restore",
    () => require("./commands/server").serverCommands,
  ],
  [
    "doctor",
    "check this machine: what is installed, what is missing and how to fix it",
    () => require("./commands/doctor").doctorCommands,
  ],
];

/** @param args of the command line: commands that it cannot name get no more than their line in the help; default: all are loaded */
export function createProgram(io: CommandIo, writeOut: (text: string) => void, args?: readonly string[]): Command {
  const program = new Command("navigator")
    .description("Durable agent tasks on Temporal.")
    .version(packageVersion())
    .helpCommand(false)
    .addHelpText("after", "\nExample:\n  $ navigator doctor        checks what is installed and what is missing");
  for (const [name, about, load] of COMMANDS) {
    const [word = name] = name.split(" ");
    const isNamed = args === undefined || args.includes(word);
    addCommand(program, io, { name, about, ...(isNamed ? load()[word] : {}) });
  }
  registerProve(program, io);
  unify(program, writeOut);
  program.hook("preAction", (_, action) => {
    const { json, config, project } = action.optsWithGlobals<{ json?: boolean; config?: string; project?: string }>();
    io.json = json === true;
    io.config = config;
    readEnvFile(config ?? process.cwd(), process.env);
    // The same setting: whatever reads the environment, here or in a process that is started, finds it.
    if (project !== undefined && takesProjectName(action)) process.env.NAVIGATOR_PROJECT = project;
  });
  return program;
}

/** Runs one command line. It never throws: the result is an exit code and, on failure, one report on stderr. */
export async function run(args: string[], streams: Streams, env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const io = createIo(streams, env);
  io.json = wantsJson(args);
  const program = createProgram(io, (text) => void streams.stdout.write(text), args);
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodeOf({ exitCode: process.exitCode ?? EXIT.done });
  } catch (thrown) {
    const error = thrown instanceof CommanderError ? usageError(thrown, program, args) : thrown;
    if (error === undefined) return EXIT.done;
    const terminal = streams.stderr.isTTY === true;
    const report = knownSecrets.mask(renderError(error, io.json, createColors(terminal, env)));
    streams.stderr.write(terminal && !io.json ? printable(report) : report);
    return exitCodeOf(error);
  }
}

function renderError(error: unknown, json: boolean, color: ReturnType<typeof createColors>): string {
  const report = errorReport(error);
  if (json) return `${JSON.stringify({ error: report })}\n`;
  const lines = [`${color.red("error")} ${color.dim(`[${report.code}]`)} ${report.message}`];
  if (report.hint) lines.push(...report.hint.split("\n").map((line) => `  ${color.cyan("→")} ${line}`));
  const stack = (report.details as { stack?: string } | undefined)?.stack;
  if (stack) lines.push(color.dim(stack));
  return `${lines.join("\n")}\n`;
}

if (require.main === module) {
  // `navigator ... | head` closes the pipe early: this is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  run(process.argv.slice(2), process, process.env).then((code) => {
    process.exitCode = code;
    // Sockets and timers that a library keeps open must not keep a finished command alive. Its output is flushed first.
    process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
  });
}

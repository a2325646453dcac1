#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { readEnvFile } from "../node/env-file";
import { packageVersion } from "../node/package-version";
import { knownSecrets } from "../node/secrets/known-secrets";
import { registerChat } from "./commands/chat";
import { registerDemo } from "./commands/demo";
import { registerDoctor } from "./commands/doctor";
import { registerEffects } from "./commands/effects";
import { registerJournal } from "./commands/journal";
import { registerKeys } from "./commands/keys/keys";
import { registerLedger } from "./commands/ledger/ledger";
import { registerLisp } from "./commands/lisp";
import { registerLog } from "./commands/log";
import { registerLogin } from "./commands/login";
import { registerMcp } from "./commands/mcp";
import { registerEnd } from "./commands/missions/end";
import { registerList } from "./commands/missions/list";
import { registerPause } from "./commands/missions/pause";
import { registerRetry } from "./commands/missions/retry";
import { registerPeople } from "./commands/people/people";
import { registerPlan } from "./commands/plan/plan";
import { registerDev } from "./commands/project/dev";
import { registerInit } from "./commands/project/init";
import { registerProve } from "./commands/prove";
import { registerReview } from "./commands/review";
import { registerRun } from "./commands/run";
import { registerSchedule } from "./commands/schedule/schedule";
import { registerServer } from "./commands/server";
import { registerSimulate } from "./commands/simulate/simulate";
import { registerSync } from "./commands/sync";
import { registerTask } from "./commands/task/task";
import { registerToken } from "./commands/token";
import { registerTools } from "./commands/tools";
import { registerTrace } from "./commands/trace";
import { registerUndo } from "./commands/undo";
import { registerWeb } from "./commands/web";
import { registerWhy } from "./commands/why";
import { registerWorker } from "./commands/worker";
import { registerWorkflow } from "./commands/workflow/workflow";
import { EXIT, type ExitCode, errorReport, exitCodeOf } from "./terminal/exit";
import { type CommandIo, createIo, type Streams } from "./terminal/io";
import { takesProjectName, unify, usageError, wantsJson } from "./terminal/parse";
import { printable } from "./terminal/printable";
import { createColors } from "./terminal/render";

/**
 * Each function adds its command to the program. Top-level imports of these files stay light (no Temporal): an action
 * loads what it needs with `await import()`, so that `navigator --help` and `navigator lisp` start at once. An action
 * sets `process.exitCode` if it is not 0, and throws errors for people to read.
 */
const COMMANDS: ((program: Command, io: CommandIo) => void)[] = [
  registerInit,
  registerDev,
  registerDemo,
  registerRun,
  registerChat,
  registerWorkflow,
  registerTask,
  registerSync,
  registerPlan,
  registerList,
  registerEnd,
  registerPause,
  registerRetry,
  registerSchedule,
  registerReview,
  registerPeople,
  registerLogin,
  registerJournal,
  registerLog,
  registerTrace,
  registerEffects,
  registerUndo,
  registerLedger,
  registerWhy,
  registerLisp,
  registerSimulate,
  registerTools,
  registerMcp,
  registerToken,
  registerKeys,
  registerWorker,
  registerWeb,
  registerServer,
  registerDoctor,
  registerProve,
];

export function createProgram(io: CommandIo, writeOut: (text: string) => void): Command {
  const program = new Command("navigator")
    .description("Durable agent tasks on Temporal.")
    .version(packageVersion())
    .helpCommand(false)
    .addHelpText("after", "\nExample:\n  $ navigator doctor        checks what is installed and what is missing");
  for (const register of COMMANDS) register(program, io);
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
  const program = createProgram(io, (text) => void streams.stdout.write(text));
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

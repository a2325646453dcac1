import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { Command, CommanderError } from "commander";
import { EXIT, type ExitCode, errorReport, exitCodeOf } from "../../src/cli/terminal/exit";
import { type CommandIo, createIo } from "../../src/cli/terminal/io";
import { unify, usageError, wantsJson } from "../../src/cli/terminal/parse";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { playExample } from "./play";

/**
 * `npm run example <name>`: one command for each example. Everything it needs is started and ended by it: a Temporal
 * server where none is up, the example's worker, the services around it.
 */

/** The examples lie where they are; this file also runs from dist. */
const EXAMPLES = [path.join(__dirname, ".."), path.join(__dirname, "..", "..", "..", "examples")].find((folder) =>
  existsSync(path.join(folder, "order", "navigator.config.cjs")),
) as string;

const playable = (): string[] =>
  readdirSync(EXAMPLES).filter((name) => existsSync(path.join(EXAMPLES, name, "start.cjs")));

function createProgram(io: CommandIo): Command {
  const program = new Command("example")
    .description(`Runs an example: ${["order", ...playable()].join(", ")}.`)
    .argument("<name>", "which one")
    .option("--yes", "answer for the people who are asked")
    .addHelpText(
      "after",
      "\nThe scripted model answers; NAVIGATOR_MODEL=provider/model asks a real one.\n\nExample:\n  $ npm run example refund -- --yes",
    )
    .action(async (name: string, options: { yes?: boolean; json?: boolean }) => {
      io.json = options.json === true;
      process.exitCode = await play(io, name, options.yes === true);
    });
  unify(program, (text) => void process.stdout.write(text));
  return program;
}

async function play(io: CommandIo, name: string, yes: boolean): Promise<ExitCode> {
  if (name === "order") return demo(io, yes);
  if (playable().includes(name)) return playExample(io, path.join(EXAMPLES, name), yes);
  throw new NavigatorError("bad_usage", `There is no example "${name}". There are: order, ${playable().join(", ")}.`, {
    details: { path: "name" },
  });
}

/** The first example is the one that `npm run demo` shows. */
async function demo(io: CommandIo, yes: boolean): Promise<ExitCode> {
  const { run } = await import("../../src/cli/main");
  return run(["demo", ...(yes ? ["--yes"] : []), ...(io.json ? ["--json"] : [])], process, process.env);
}

async function main(args: string[]): Promise<ExitCode> {
  const io = createIo(process, process.env);
  const program = createProgram(io);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodeOf({ exitCode: process.exitCode ?? EXIT.done });
  } catch (thrown) {
    const error = thrown instanceof CommanderError ? usageError(thrown, program, args) : thrown;
    if (error === undefined) return EXIT.done;
    const { code, message, hint, details } = errorReport(error);
    const stack = (details as { stack?: string } | undefined)?.stack;
    const lines = [`error [${code}] ${message}`, ...(hint ? [`  → ${hint}`] : []), ...(stack ? [stack] : [])];
    io.err(wantsJson(args) ? JSON.stringify({ error: errorReport(error) }) : lines.join("\n"));
    return exitCodeOf(error);
  }
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  // What a library keeps open (sockets, timers) must not keep a finished command alive; its output goes first.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
});

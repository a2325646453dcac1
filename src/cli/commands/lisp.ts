import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import type { Command } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import { textInput } from "../input/text-input";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** `navigator lisp`: one PTC-Lisp program, a REPL, or a batch of programs. Needs no server. */
export function registerLisp(program: Command, io: CommandIo): void {
  const lisp = program
    .command("lisp")
    .description("run PTC-Lisp: one program, or a REPL when none is given")
    .argument("[file]", "file with the program (- for standard input)")
    .option("-e, --eval <expr>", "the program itself")
    .option("--no-history", "REPL: do not read or save the history of inputs")
    .addHelpText("after", "\nExample:\n  $ navigator lisp -e '(reduce + (range 10))'")
    .action(async (file: string | undefined, options: { eval?: string; history: boolean }) => {
      if (file !== undefined && options.eval !== undefined)
        throw new NavigatorError("bad_usage", "Give a file or --eval, not both.", { details: { path: "--eval" } });
      if (options.eval !== undefined) return runOne(io, options.eval);
      // Not process.stdin.isTTY: reading it would make a terminal unreadable for textInput.
      const terminal = isatty(0) && isatty(1);
      if (file !== undefined || !terminal || io.json) return runOne(io, textInput(file ?? "-"));
      return startRepl(io, options.history);
    });
  lisp
    .command("batch")
    .description("run many programs: reads one JSON case per line and writes one answer per line")
    .argument("[file]", "file with the cases (default: standard input)")
    .addHelpText("after", `\nExample:\n  $ echo '{"id": 1, "program": "(+ 1 2)"}' | navigator lisp batch`)
    .action((file: string | undefined) => batch(io, file));
}

async function runOne(io: CommandIo, source: string): Promise<void> {
  const { LispSession, renderEnd } = await import("../lisp/session");
  const { runLispCase } = await import("../../simulate/lisp-batch");
  if (io.json) {
    const { id: _, ...answer } = runLispCase({ id: 1, program: source, context: {}, memory: {}, tools: {} }, Date.now);
    io.result(answer, () => "");
    if (answer.fail) process.exitCode = EXIT.failed;
    return;
  }
  const end = new LispSession(Date.now).run(source);
  const { text, failed } = renderEnd(source, end);
  for (const line of end.prints) io.out(line);
  if (!failed) return io.out(text);
  io.err(io.color.red(text));
  process.exitCode = EXIT.failed;
}

/** Gives one answer for each line, in order. A bad case gives a failed answer and never ends the batch. */
async function batch(io: CommandIo, file: string | undefined): Promise<void> {
  const { answerText, runBatchLine } = await import("../../simulate/lisp-batch");
  const input = file === undefined || file === "-" ? process.stdin : openCases(file);
  // The answers are JSON Lines with and without --json, and keep all digits of large integers.
  io.json = false;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== "") io.out(answerText(runBatchLine(line, Date.now)));
}

/** Reads line by line: a batch may be larger than the memory. */
function openCases(file: string) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found)
    throw new NavigatorError("not_found", `There is no file ${file}.`, { details: { path: file, kind: "file" } });
  if (found.isDirectory())
    throw new NavigatorError("file_error", `${file} is a folder, not a file.`, { details: { path: file } });
  return createReadStream(file);
}

async function startRepl(io: CommandIo, keepHistory: boolean): Promise<void> {
  const { repl } = await import("../lisp/repl");
  const { historyFile, LispHistory } = await import("../lisp/history");
  const history = new LispHistory(keepHistory ? historyFile(process.env) : undefined);
  await repl(io, process.stdin, process.stdout, history);
}

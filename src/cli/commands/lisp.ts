import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { NavigatorError } from "../../core/base/navigator-error";
import { answerText, runBatchLine, runLispCase } from "../../simulate/lisp-batch";
import { textInput } from "../input/text-input";
import { historyFile, LispHistory } from "../lisp/history";
import { repl } from "../lisp/repl";
import { LispSession, renderEnd } from "../lisp/session";
import type { TopCommands } from "../terminal/command";
import { badUsage, EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** `navigator lisp`: one PTC-Lisp program, a REPL, or a batch of programs. Needs no server. */
export const lispCommands: TopCommands = {
  lisp: {
    args: [["[file]", "file with the program (- for standard input)"]],
    options: [
      ["-e, --eval <expr>", "the program itself"],
      ["--no-history", "REPL: do not read or save the history of inputs"],
    ],
    examples: ["navigator lisp -e '(reduce + (range 10))'"],
    run: async (io: CommandIo, file: string | undefined, options: { eval?: string; history: boolean }) => {
      if (file !== undefined && options.eval !== undefined)
        throw badUsage("--eval", "Give a file or --eval, not both.");
      if (options.eval !== undefined) return runOne(io, options.eval);
      // Not process.stdin.isTTY: reading it would make a terminal unreadable for textInput.
      const terminal = isatty(0) && isatty(1);
      if (file !== undefined || !terminal || io.json) return runOne(io, textInput(file ?? "-"));
      return startRepl(io, options.history);
    },
    commands: [
      {
        name: "batch",
        about: "run many programs: reads one JSON case per line and writes one answer per line",
        args: [["[file]", "file with the cases (default: standard input)"]],
        examples: ['echo \'{"id": 1, "program": "(+ 1 2)"}\' | navigator lisp batch'],
        run: batch,
      },
    ],
  },
};

async function runOne(io: CommandIo, source: string): Promise<void> {
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
  const history = new LispHistory(keepHistory ? historyFile(process.env) : undefined);
  await repl(io, process.stdin, process.stdout, history);
}

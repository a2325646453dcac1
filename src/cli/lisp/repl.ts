import { clearLine, createInterface, cursorTo, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { interruptible } from "../terminal/interruptible";
import type { CommandIo } from "../terminal/io";
import { completions } from "./complete";
import { describeName, docRequest } from "./doc";
import type { LispHistory } from "./history";
import { isComplete } from "./input";
import { LispSession, renderEnd } from "./session";

const GREETING = "PTC-Lisp. (doc name) explains a name, help tells more, Ctrl-D leaves.";
const HELP = `(doc name)  explains a function, a special form or a definition
*1 *2 *3    are the last results
Tab         completes names; Up and Down go through earlier inputs
Enter       runs the input, or goes on when brackets or quotes are open
Ctrl-C      drops what is typed, or stops what runs
Ctrl-D      leaves`;
const LEAVING = new Set(["exit", "quit", "(exit)", "(quit)", ":quit"]);

// A terminal that supports it marks the start and the end of pasted text.
const MARK_PASTES = "\u001b[?2004h";
const MARK_NO_PASTES = "\u001b[?2004l";

/** The REPL on a terminal. Ends with Ctrl-D. */
export function repl(io: CommandIo, input: ReadStream, output: WriteStream, history: LispHistory): Promise<void> {
  return new Promise((resolve) => {
    new Repl(io, input, output, history).start(resolve);
  });
}

class Repl {
  private readonly session = new LispSession(Date.now);
  private readonly lines: Interface;
  /** Lines of an input that is not finished. */
  private pending: string[] = [];
  private pasting = false;
  /** Readline's own list, newest first: it adds each line, we keep whole inputs. */
  private shown: string[] | undefined;

  constructor(
    private readonly io: CommandIo,
    private readonly input: ReadStream,
    private readonly output: WriteStream,
    private readonly history: LispHistory,
  ) {
    this.lines = createInterface({
      input,
      output,
      history: [...history.entries],
      historySize: history.entries.length + 1_000,
      completer: (line: string) => completions([...this.pending, line].join("\n"), this.session.memory.keys()),
    });
  }

  start(done: () => void): void {
    const ignore = () => {};
    // Between two programs the signal has nothing to stop, and must not end the REPL.
    process.on("SIGINT", ignore);
    this.input.on("keypress", (_, key: { name?: string } | undefined) => this.keypress(key?.name));
    this.lines
      .on("history", (list: string[]) => this.showHistory(list))
      .on("line", (line) => this.line(line))
      .on("SIGINT", () => this.dropInput())
      .on("close", () => {
        process.off("SIGINT", ignore);
        this.output.write(MARK_NO_PASTES);
        this.io.out("");
        done();
      });
    this.io.out(this.io.color.dim(GREETING));
    this.output.write(MARK_PASTES);
    this.ask();
  }

  private ask(): void {
    this.lines.setPrompt(this.pending.length === 0 ? "lisp> " : "  ... ");
    this.lines.prompt();
  }

  private line(line: string): void {
    this.pending.push(line);
    if (!this.pasting) this.useWhenComplete();
    this.askUnlessClosed();
  }

  /** Pasted text is one input. It runs when all of it has arrived. */
  private keypress(name: string | undefined): void {
    if (name === "paste-start") this.pasting = true;
    if (name !== "paste-end") return;
    this.pasting = false;
    if (this.pending.length === 0 || this.lines.line !== "") return;
    // It overwrites the continuation prompt.
    cursorTo(this.output, 0);
    clearLine(this.output, 0);
    this.useWhenComplete();
    this.askUnlessClosed();
  }

  private askUnlessClosed(): void {
    if (!(this.lines as Interface & { closed?: boolean }).closed) this.ask();
  }

  private useWhenComplete(): void {
    const source = this.pending.join("\n");
    if (!isComplete(source)) return;
    this.pending = [];
    if (source.trim() === "") return;
    if (!LEAVING.has(source.trim())) this.history.add(source);
    this.showHistory();
    this.use(source);
  }

  private use(source: string): void {
    const word = source.trim();
    if (LEAVING.has(word) && !this.session.memory.has(word)) return this.lines.close();
    if ((word === "help" || word === "(help)") && !this.session.memory.has("help")) return this.io.out(HELP);
    const name = docRequest(source);
    if (name !== undefined) return this.io.out(describeName(name, this.session.memory));
    // Leaves raw mode, so that Ctrl-C is a signal while the program runs, not a key that is read later.
    this.input.setRawMode(false);
    const run = interruptible(() => this.session.run(source));
    this.input.setRawMode(true);
    if (run === undefined) return this.io.out(this.io.color.red("interrupted; definitions are as before"));
    for (const line of run.value.prints) this.io.out(line);
    const { text, failed } = renderEnd(source, run.value);
    this.io.out(failed ? this.io.color.red(text) : text);
  }

  /** Ctrl-C at the prompt. */
  private dropInput(): void {
    const typed = this.pending.length > 0 || this.lines.line !== "";
    this.pending = [];
    this.lines.write(null, { ctrl: true, name: "e" });
    this.lines.write(null, { ctrl: true, name: "u" });
    this.output.write("^C\n");
    if (!typed) this.io.out(this.io.color.dim("Ctrl-D leaves."));
    this.ask();
  }

  private showHistory(list = this.shown): void {
    this.shown = list;
    list?.splice(0, list.length, ...this.history.entries);
  }
}

import { clearLine, createInterface, cursorTo, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { Script } from "node:vm";
import { BUILTINS, CONSTANTS, NAMESPACES } from "../../core/lisp/builtins/index";
import { Registry } from "../../core/lisp/compile/registry";
import { SPECIAL_FORMS } from "../../core/lisp/compile/special-forms";
import { printValue, type Value } from "../../core/lisp/index";
import { Closure } from "../../core/lisp/values/values";
import type { CommandIo } from "../terminal/io";
import type { LispHistory } from "./history";
import { endOfText, isComplete } from "./input";
import { LispSession, renderEnd } from "./session";

const GREETING = "PTC-Lisp. (doc name) explains a name, help explains more, Ctrl-D leaves.";
const HELP = `(doc name)  explains a function, a special form or a definition
*1 *2 *3    are the last results
Tab         completes names; Up and Down go through earlier inputs
Enter       runs the input, or continues it when brackets or quotes are open
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

/** The completions at the end of a text: the names that start with its last name, and that prefix. */
export function completions(text: string, defined: Iterable<string>): [names: string[], typed: string] {
  if (endOfText(text).inside !== "code") return [[], ""];
  const typed = /[^\s,()[\]{}"'`;@#]*$/.exec(text)![0];
  // With nothing typed all names would match: then Tab indents.
  if (typed === "") return [["  "], ""];
  const slash = typed.indexOf("/");
  const namespace = slash > 0 && NAMESPACES.has(typed.slice(0, slash)) ? typed.slice(0, slash + 1) : "";
  const all = new Set([...BUILTINS.keys(), ...CONSTANTS.keys()].map((name) => namespace + name));
  if (namespace === "") for (const name of [...SPECIAL_FORMS.keys(), ...defined, "doc"]) all.add(name);
  return [[...all].filter((name) => name.startsWith(typed)).sort(), typed];
}

/** The name in `(doc name)` or `doc name`, when that is all of the input. */
export function docRequest(source: string): string | undefined {
  const text = source.trim().replace(/^\((.*)\)$/s, "$1");
  return /^\s*doc\s+"?([^\s()[\]{}"]+)"?\s*$/.exec(text)?.[1];
}

/**
 * How to use a name: a builtin, a special form, or a definition of the session.
 *
 * @param memory the definitions of the session
 */
export function describeName(name: string, memory: ReadonlyMap<string, Value> = new Map()): string {
  const slash = name.indexOf("/");
  const registry = new Registry(memory, new Map());
  const plain = slash > 0 ? registry.qualified(name.slice(0, slash), name.slice(slash + 1)) : BUILTINS.get(name);
  if (typeof plain === "object" && plain !== null && plain.tag === "builtin")
    return helpText(plain.doc.usage, plain.doc.text);
  const form = SPECIAL_FORMS.get(name);
  if (form) return helpText(form.doc.usage, form.doc.text);
  const value = memory.get(name) ?? plain ?? CONSTANTS.get(name);
  if (value instanceof Closure) return helpText([`(${[name, ...value.paramNames].join(" ")})`], value.doc ?? "");
  if (value !== undefined) return `${name} is ${printValue(value, { items: 5, chars: 200 })}`;
  return registry.hint(name) || `There is no ${name}.`;
}

const helpText = (usage: readonly string[], text: string): string =>
  [...usage, ...(text === "" ? [] : [`  ${text}`])].join("\n");

const TASK = "__navigatorInterruptible";
// The script sees the main context's globals, which under a test runner are not ours.
const shared = new Script("globalThis").runInThisContext() as { [TASK]?: () => unknown };
const script = new Script(`globalThis.${TASK}()`);

/**
 * Runs work that blocks the thread, and ends it when SIGINT arrives. A signal handler could not run, because the thread
 * is busy.
 *
 * @returns undefined if it was interrupted
 */
export function interruptible<T>(work: () => T): { value: T } | undefined {
  shared[TASK] = work;
  try {
    return { value: script.runInThisContext({ breakOnSigint: true }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") return undefined;
    throw error;
  } finally {
    delete shared[TASK];
  }
}

import { printable } from "./printable";
import { type Colors, createColors } from "./render";

/** The output of a command: answers on stdout, everything else on stderr, as text for people or JSON for machines. */
export interface CommandIo {
  /** `--json` was given. Known once the command runs. */
  json: boolean;
  /** `--config`: the configuration or folder of the project; undefined = this folder. Known once the command runs. */
  config?: string | undefined;
  /** Colours for stdout: functions that give their text back unchanged when colour is off. */
  readonly color: Colors;
  /** Text to stdout; a line end is added. Only for people: nothing is written with `--json`. */
  out(text: string): void;
  /** Text to stderr; a line end is added. */
  err(text: string): void;
  /** A piece of text to stderr, as it comes. Whatever is written next to a terminal begins a new line. */
  errPiece(piece: string): void;
  /** The same for stdout: a part of the answer. Only for people: nothing is written with `--json`. */
  outPiece(piece: string): void;
  /** Whether somebody sees stderr as it is written. */
  readonly isWatched: boolean;
  /** The same for stdout. */
  readonly isShown: boolean;
  /**
   * How far a command is: on a terminal a bar on stderr that is drawn over again, elsewhere a line at each tenth. It goes
   * away when `done` is `total`.
   */
  progress(label: string, done: number, total: number): void;
  /** The command's one answer: a JSON document with `--json`, else what `render` gives. */
  result(value: unknown, render: () => string): void;
  /** The command's one answer, for a file or a program: byte for byte, with `--json` as well. */
  document(text: string): void;
  /** One answer of several, as it happens: JSON Lines with `--json`, else what `render` gives. */
  event(value: unknown, render: () => string): void;
}

/** Where a command writes: stdout for its answer, stderr for everything else. */
export interface Streams {
  stdout: { write(text: string): unknown; isTTY?: boolean };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

/**
 * The input and output of a command. Colours depend on the terminal and on `env`. A terminal gets texts without anything
 * that it would take as a command; files and pipes get them as they are.
 */
export function createIo(streams: Streams, env: NodeJS.ProcessEnv): CommandIo {
  const onTerminal = ({ isTTY }: Streams["stdout"], text: string) => (isTTY === true ? printable(text) : text);
  const toStdout = (text: string) => {
    endLine();
    streams.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  };
  const print = (text: string) => toStdout(onTerminal(streams.stdout, text));
  // stdout and stderr are one screen: a text that comes in pieces ends before anything else is written.
  let open: Streams["stdout"] | null = null;
  const endLine = () => {
    open?.write("\n");
    open = null;
  };
  const piece = (to: Streams["stdout"], text: string) => {
    if (text === "") return;
    if (open !== null && open !== to) endLine();
    to.write(onTerminal(to, text));
    open = text.endsWith("\n") ? null : to;
  };
  return {
    json: false,
    isWatched: streams.stderr.isTTY === true,
    isShown: streams.stdout.isTTY === true,
    errPiece: (text) => piece(streams.stderr, text),
    outPiece(text) {
      if (!this.json) piece(streams.stdout, text);
    },
    color: createColors(streams.stdout.isTTY === true, env),
    out(text) {
      if (!this.json) print(text);
    },
    err: (text) => {
      endLine();
      streams.stderr.write(`${onTerminal(streams.stderr, text)}\n`);
    },
    progress: progressOf(streams.stderr),
    result(value, render) {
      if (this.json) toStdout(JSON.stringify(value, null, 2));
      else print(render());
    },
    document: (text) => void toStdout(onTerminal(streams.stdout, text)),
    event(value, render) {
      if (this.json) toStdout(JSON.stringify(value));
      else print(render());
    },
  };
}

const WIDTH = 30;
const CLEAR = "\r\u001b[K";

/** Draws how far a command is: a bar that is drawn over again on a terminal, a line at each tenth elsewhere. */
export function progressOf(stderr: {
  write(text: string): unknown;
  isTTY?: boolean;
}): (label: string, done: number, total: number) => void {
  let shown = "";
  return (label, done, total) => {
    const part = total === 0 ? 1 : Math.min(1, done / total);
    const line = `${label} ${stderr.isTTY === true ? bar(part) : `${Math.floor(part * 10) * 10} %`}`;
    // A command reports progress far more often than anybody can see.
    if (line === shown) return;
    shown = part === 1 ? "" : line;
    if (stderr.isTTY === true) stderr.write(part === 1 ? CLEAR : `${CLEAR}${line}`);
    else if (part < 1) stderr.write(`${line}\n`);
  };
}

function bar(part: number): string {
  const full = Math.floor(part * WIDTH);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}] ${Math.floor(part * 100)} %`;
}

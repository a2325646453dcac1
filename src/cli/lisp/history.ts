import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

const KEPT = 1_000;
const LONGEST = 10_000;

/** The folder of a REPL's inputs: the platform's folder for a user's state. */
export function historyFile(env: NodeJS.ProcessEnv): string {
  const folder =
    env.XDG_STATE_HOME ??
    (process.platform === "win32" ? env.LOCALAPPDATA : undefined) ??
    path.join(homedir(), ".local", "state");
  return path.join(folder, "navigator", "lisp-history");
}

/**
 * Inputs of this and earlier sessions. Only the user may read the file, because inputs may be private. If it cannot be
 * read or written, the history lasts only for the session.
 */
export class LispHistory {
  /** The newest first, without repetitions. */
  readonly entries: string[];

  constructor(private readonly file: string | undefined) {
    const lines = file === undefined ? [] : readLines(file);
    this.entries = [...new Set(lines.reverse())].slice(0, KEPT);
    // Parallel sessions only append; the file is shortened when a session starts.
    if (file !== undefined && lines.length > 2 * KEPT) rewrite(file, [...this.entries].reverse());
  }

  /** An input; several lines as one when that is safe, else as they are. */
  add(source: string): void {
    for (const entry of entriesOf(source)) {
      const known = this.entries.indexOf(entry);
      if (known === 0) continue;
      if (known > 0) this.entries.splice(known, 1);
      this.entries.unshift(entry);
      if (this.entries.length > KEPT) this.entries.pop();
      if (this.file !== undefined && entry.length <= LONGEST) append(this.file, entry);
    }
  }
}

/** A history has entries of one line. Comments and strings over several lines cannot be joined. */
function entriesOf(source: string): string[] {
  const lines = source.split(/\r?\n/).filter((line) => line.trim() !== "");
  const joinable = !source.includes(";") && lines.every((line) => (line.match(/"/g) ?? []).length % 2 === 0);
  return lines.length > 1 && joinable ? [lines.map((line) => line.trim()).join(" ")] : lines;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
  } catch {
    return [];
  }
}

function append(file: string, entry: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, `${entry}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch {
    // See above: the history is not kept.
  }
}

function rewrite(file: string, lines: readonly string[]): void {
  const next = `${file}.${process.pid}`;
  try {
    writeFileSync(next, `${lines.join("\n")}\n`, { mode: 0o600 });
    renameSync(next, file);
  } catch {
    // The long one is as good.
  }
}

import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as pauseFor } from "node:timers/promises";
import { NavigatorError } from "../core/base/navigator-error";
import { isGone } from "./processes";

/** The owner of a lock, as far as its file names it. */
interface Holder {
  host: string;
  pid: number;
}

/** The text of a lock file. It is another one each time, so that nobody takes away a lock that was made in the meantime. */
const newHolder = (): string =>
  JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() } satisfies Holder & { id: string });

/** The result of `work`, or the process that had the lock for all the time of the wait. */
type Locked<T> = { done: T } | { locked_by: string };

/**
 * Does `work` while this process has a lock file, so that two commands which read, change and write a file do not lose
 * what one of them wrote. Both are short, so this blocks. The lock of a process of this machine that is gone is taken over.
 *
 * @throws Error if no file can be made there
 */
export function withFileLock<T>(lock: string, wait_ms: number, work: () => T): Locked<T> {
  const own = newHolder();
  const until = Date.now() + wait_ms;
  while (!isMade(lock, own)) {
    const holder = textOf(lock);
    if (holder !== null && isLeft(lock, holder)) takeAway(lock, holder);
    else if (Date.now() >= until) return { locked_by: nameOf(holder) };
    else pause();
  }
  try {
    return { done: work() };
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * Does `work` while this process has a lock file, where the work waits for something, such as an answer over the network. Of two
 * that want the same lock in one process one waits, too.
 *
 * @param time.lasts_ms the work is surely over after this time: an older lock is taken over from any process
 * @throws Error if no file can be made there, and what `work` throws
 */
export async function whileLocked<T>(
  lock: string,
  time: { wait_ms: number; lasts_ms: number; onWait?: (locked_by: string) => void; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<Locked<T>> {
  const own = newHolder();
  const until = Date.now() + time.wait_ms;
  for (let isReported = false; !isMade(lock, own); ) {
    const holder = textOf(lock);
    if (holder !== null && (isLeft(lock, holder) || isOlder(lock, time.lasts_ms))) takeAway(lock, holder);
    else if (Date.now() >= until) return { locked_by: nameOf(holder) };
    else {
      if (!isReported) time.onWait?.(nameOf(holder));
      isReported = true;
      await pauseFor(PAUSE_MS, undefined, { signal: time.signal });
    }
  }
  try {
    return { done: await work() };
  } finally {
    // Another process has it if this took too long.
    if (textOf(lock) === own) rmSync(lock, { force: true });
  }
}

/**
 * Does `work` while this process has a lock file, for work that may take minutes, such as a build: it waits as long as the
 * process lives that has it.
 *
 * @param waiting.onWait gets a line that names the holder and the file, if it waits
 * @param waiting.doing the action of the others that have this lock: "is starting the server"
 */
export async function afterOthers<T>(
  lock: string,
  { doing, onWait, signal }: { doing: string; onWait: (line: string) => void; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
  const report = (locked_by: string) =>
    onWait(`Waiting: ${locked_by} ${doing}. If there is no such process any more, remove ${lock}.`);
  const times = { wait_ms: Number.POSITIVE_INFINITY, lasts_ms: Number.POSITIVE_INFINITY, onWait: report, signal };
  const locked = await whileLocked(lock, times, work);
  if ("done" in locked) return locked.done;
  throw new Error(`${lock} is locked by ${locked.locked_by}`);
}

/** Commands change a file within milliseconds. */
const WAIT_MS = 10_000;

/**
 * Changes a file, with one change after another where several processes make some, so that none is lost.
 *
 * @param work reads the file, and replaces it by one rename
 * @throws NavigatorError `file_error`, and what `work` throws
 */
export function changingFile<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`;
  let changed: Locked<T>;
  try {
    changed = withFileLock(lock, WAIT_MS, work);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : fileNotWritten(file, error);
  }
  if ("done" in changed) return changed.done;
  throw new NavigatorError("file_error", `${file} is being changed by ${changed.locked_by}.`, {
    hint: `Try again. If nobody changes it, remove ${lock}.`,
    details: { path: file },
  });
}

/** Why a file stays as it was. */
export const fileNotWritten = (file: string, error: unknown): NavigatorError =>
  new NavigatorError("file_error", `${file} cannot be written: ${(error as Error).message}`, {
    details: { path: file },
  });

/** Makes the file, unless it is there. */
function isMade(lock: string, content: string): boolean {
  let file: number;
  try {
    file = openSync(lock, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(lock, { force: true }); // the disk is full: an empty lock would stay
    throw error;
  } finally {
    closeSync(file);
  }
  // Unless somebody took it away while it was empty.
  return textOf(lock) === content;
}

/** Another process may have done so, and have the lock now: its file is restored. */
function takeAway(lock: string, holder: string): void {
  const away = `${lock}.${process.pid}.gone`;
  try {
    renameSync(lock, away);
    const taken = textOf(away);
    if (taken !== null && taken !== holder) isMade(lock, taken);
  } catch {
    // It was taken away already.
  }
  rmSync(away, { force: true });
}

/** An owner writes its name as soon as it has made the file. */
const NAMELESS_MS = 5_000;

function isLeft(lock: string, text: string): boolean {
  // Its owner was killed before it wrote its name.
  if (text === "") return isOlder(lock, NAMELESS_MS);
  const holder = readHolder(text);
  if (holder === null || holder.host !== hostname()) return false;
  // In a container that was started again, each process has the pid that one before it had.
  if (holder.pid === process.pid) return isOlder(lock, process.uptime() * 1_000);
  return isGone(holder.pid);
}

function isOlder(lock: string, age_ms: number): boolean {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made > age_ms;
}

const nameOf = (text: string | null): string => {
  const holder = text === null ? null : readHolder(text);
  return holder === null ? "another process" : `process ${holder.pid} on ${holder.host}`;
};

function readHolder(text: string): Holder | null {
  try {
    const { host, pid } = JSON.parse(text) as Holder;
    return typeof host === "string" && Number.isSafeInteger(pid) && pid > 0 ? { host, pid } : null;
  } catch {
    return null;
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const PAUSE_MS = 20;
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who holds a lock, as far as its file says. */
interface Holder {
  host: string;
  pid: number;
}

/** What `work` gave, or who held the lock for all the time that was waited. */
export type Locked<T> = { done: T } | { held_by: string };

/**
 * Does `work` while this process holds a lock file, so that two commands which read, change and write a file do not lose
 * what one of them wrote. Both are short, so this blocks. The lock of a process of this machine that is gone is taken over.
 *
 * @throws Error if no file can be made there
 */
export function withFileLock<T>(lock: string, wait_ms: number, work: () => T): Locked<T> {
  const own = JSON.stringify({ host: hostname(), pid: process.pid } satisfies Holder);
  const until = Date.now() + wait_ms;
  while (!isMade(lock, own)) {
    const holder = textOf(lock);
    if (holder !== null && isGone(holder)) takeAway(lock, holder);
    else if (Date.now() >= until) return { held_by: nameOf(holder) };
    else pause();
  }
  try {
    return { done: work() };
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Makes the file, unless it is there. */
function isMade(lock: string, content: string): boolean {
  try {
    writeFileSync(lock, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Somebody else may have done so, and hold the lock now: theirs is put back. */
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

function isGone(text: string): boolean {
  const holder = readHolder(text);
  if (holder === null || holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
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

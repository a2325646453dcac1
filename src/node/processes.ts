import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Facts about processes that we started earlier, perhaps from another process of ours that is gone. */

/** Whether there is surely no such process. One of another user, or one that cannot be looked at now, is there. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** The command line of a running process, or null when there is none (a zombie, ended and unread by its parent, counts as ended). */
export function commandLineOf(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch {
    // ESRCH, or EPERM: a process of another user is none of ours.
    return null;
  }
  return process.platform === "linux" ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): string | null {
  try {
    // The state follows the name, which may contain blanks and brackets.
    const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop()?.charAt(0);
    if (state === "Z" || state === "X") return null;
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() || null;
  } catch {
    return null; // it ended between the two looks
  }
}

function fromPs(pid: number): string | null {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}

/** Waits until a process is gone; false when it still runs after `timeoutMs`. */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs;
  while (commandLineOf(pid) !== null) {
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLineOf } from "./process";

/**
 * Runs `work` while holding a lock file, so that two commands started at once do not both start a server or build
 * the same program. The file holds the owner's pid: a lock whose owner is gone is taken over.
 */
export async function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  for (let told = false; !tryLock(file); told = true) {
    if (!told) onWait();
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (ownerIsGone(file)) rmSync(file, { force: true });
    return false;
  }
}

function ownerIsGone(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    // 0: the owner has made the file and not written its pid yet.
    return pid > 0 && commandLineOf(pid) === null;
  } catch {
    return false; // released meanwhile
  }
}

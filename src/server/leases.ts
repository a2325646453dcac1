import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE, privateFolder } from "../node/private-files";
import { commandLineOf } from "./process";

/**
 * Which processes use something: each has a file with its pid as the name and its command line in it. A process that was killed
 * leaves its file; it counts no more, also when its pid belongs to another program by now.
 */

/** Says that this process uses it. @returns what takes that back */
export function takeLease(folder: string): () => void {
  privateFolder(folder);
  const file = path.join(folder, String(process.pid));
  writeFileSync(file, commandLineOf(process.pid) ?? "", PRIVATE_FILE);
  return () => rmSync(file, { force: true });
}

/** The pids of those that use it now. Files of others are removed. */
export function leaseHolders(folder: string): number[] {
  return namesIn(folder).flatMap((name) => {
    const pid = Number(name);
    const file = path.join(folder, name);
    if (Number.isInteger(pid) && pid > 0 && isHeld(file, pid)) return [pid];
    rmSync(file, { force: true });
    return [];
  });
}

function isHeld(file: string, pid: number): boolean {
  try {
    const command = commandLineOf(pid);
    return command !== null && command === readFileSync(file, "utf8");
  } catch {
    return false; // it was taken back between the two looks
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nobody ever used it
  }
}

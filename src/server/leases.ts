import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE, privateFolder } from "../node/private-files";
import { commandLineOf, isGone } from "./process";

/**
 * Which processes use something: each has a file with its pid as the name and its command line in it. A process that was killed
 * leaves its file; it counts no more, also when its pid belongs to another program by now.
 */

/** How often this process has said so, by file. */
const taken = new Map<string, number>();

/** Says that this process uses it. @returns what takes that back, once. The last one of this process counts */
export function takeLease(folder: string): () => void {
  const file = fileOf(folder, process.pid);
  writeLease(folder);
  taken.set(file, (taken.get(file) ?? 0) + 1);
  let isLeft = false;
  return () => {
    if (isLeft) return;
    isLeft = true;
    const left = (taken.get(file) ?? 1) - 1;
    taken.set(file, left);
    if (left === 0) rmSync(file, { force: true });
  };
}

/** Writes the file of a lease that this process has, if somebody has removed it or it says something else. */
export function renewLease(folder: string): void {
  if (!isHeld(fileOf(folder, process.pid), process.pid)) writeLease(folder);
}

/** The pids of those that use it now. Files of processes that are gone are removed. */
export function leaseHolders(folder: string): number[] {
  return namesIn(folder).flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid <= 0) return [];
    const file = fileOf(folder, pid);
    if (isHeld(file, pid)) return [pid];
    if (isGone(pid)) rmSync(file, { force: true });
    return [];
  });
}

const fileOf = (folder: string, pid: number): string => path.join(folder, String(pid));

/** By a rename: nobody reads half of it. */
function writeLease(folder: string): void {
  privateFolder(folder);
  const file = fileOf(folder, process.pid);
  const fresh = `${file}.new`;
  writeFileSync(fresh, commandLineOf(process.pid) ?? "", PRIVATE_FILE);
  renameSync(fresh, file);
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

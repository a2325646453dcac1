import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { PRIVATE_FILE, privateFolder } from "../node/private-files";
import { commandLineOf, isGone } from "../node/processes";

/**
 * Which processes use something: each has a file with `PID@HOST` as the name and its command line in it. A process that was killed
 * leaves its file; it counts no more, also when its pid belongs to another program by now. A folder may be shared by several machines: a
 * process of another one cannot be looked at, so it counts while its file is young. Each process keeps its own young.
 */

const HOST = encodeURIComponent(hostname());

/** How often a process touches its file, and how old that of another machine may be: their clocks may differ. */
const TOUCH_MS = 60_000;
const YOUNG_MS = 10 * TOUCH_MS;

/** How many leases this process has, by file. */
const taken = new Map<string, number>();

/** Records that this process uses it. @returns a function that takes one use back; the last one removes the file */
export function takeLease(folder: string): () => void {
  const file = fileOf(folder, process.pid);
  writeLease(folder);
  taken.set(file, (taken.get(file) ?? 0) + 1);
  const touching = setInterval(() => touch(file), TOUCH_MS).unref();
  let isLeft = false;
  return () => {
    if (isLeft) return;
    isLeft = true;
    clearInterval(touching);
    const left = (taken.get(file) ?? 1) - 1;
    taken.set(file, left);
    if (left === 0) rmSync(file, { force: true });
  };
}

/** Writes the file of a lease that this process has, if somebody has removed or changed it. */
export function renewLease(folder: string): void {
  if (!isInUse(fileOf(folder, process.pid), process.pid)) writeLease(folder);
}

/** Who uses something: a process, and its machine if that is another one. */
export interface LeaseHolder {
  pid: number;
  host?: string;
}

/** Those that use it now. Files of processes that are gone are removed. */
export function leaseHolders(folder: string): LeaseHolder[] {
  return namesIn(folder).flatMap((name): LeaseHolder[] => {
    const [, digits, host = ""] = /^(\d+)@(.+)$/.exec(name) ?? [];
    const pid = Number(digits);
    if (digits === undefined || name.endsWith(FRESH) || pid <= 0) return [];
    const file = path.join(folder, name);
    if (host !== HOST) return isYoung(file) ? [{ pid, host: decodeURIComponent(host) }] : [];
    if (isInUse(file, pid)) return [{ pid }];
    if (isGone(pid)) rmSync(file, { force: true });
    return [];
  });
}

/** Whether it is this process. */
export const isThisProcess = ({ pid, host }: LeaseHolder): boolean => pid === process.pid && host === undefined;

const fileOf = (folder: string, pid: number): string => path.join(folder, `${pid}@${HOST}`);

/** Files that are being written. */
const FRESH = ".new";

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Somebody has removed it: `renewLease` writes it again.
  }
}

function isYoung(file: string): boolean {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched < YOUNG_MS;
}

/** By a rename: nobody reads half of it. */
function writeLease(folder: string): void {
  privateFolder(folder);
  const file = fileOf(folder, process.pid);
  const fresh = `${file}${FRESH}`;
  writeFileSync(fresh, commandLineOf(process.pid) ?? "", PRIVATE_FILE);
  renameSync(fresh, file);
}

function isInUse(file: string, pid: number): boolean {
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

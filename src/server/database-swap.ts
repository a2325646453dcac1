import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { NavigatorError } from "../core/base/navigator-error";
import { PRIVATE_FILE } from "../node/private-files";
import { DATABASE, FILES, restoreFailed } from "./backup-archive";
import { runningServer } from "./dev-server";

/**
 * Another database in the place of that of the embedded server. SQLite keeps a database in up to three files, and takes every file next to it
 * for a part of it: the files of two databases must never be together. A file records the swap before the first one is
 * moved; the next start of the server finishes it.
 */

const Swap = z.object({
  /** The folder with the new database, in the home. */
  work: z.string().min(1),
  /** The name for the old one; null: there is none. */
  kept: z.string().min(1).nullable(),
});
type Swap = z.infer<typeof Swap>;

const swapFile = (home: string) => path.join(home, "restore.json");
/** Whether one is not finished. */
export const isSwapUnderWay = (home: string): boolean => existsSync(swapFile(home));

/** The database, and the files that SQLite keeps next to it. */
const SUFFIXES = ["", "-wal", "-shm"];

/**
 * Moves the old database away and the new one in its place. No server must run.
 *
 * @throws NavigatorError `local_server_failed`: nothing was changed, or the next start of the server finishes it
 */
export function swapDatabase(home: string, swap: Swap): void {
  for (const file of freshFiles(home, swap)) flush(file);
  const fresh = `${swapFile(home)}.new`;
  writeFileSync(fresh, `${JSON.stringify(swap)}\n`, PRIVATE_FILE);
  flush(fresh);
  renameSync(fresh, swapFile(home));
  flush(home);
  const done: [string, string][] = [];
  try {
    for (const [from, to] of movesOf(home, swap)) {
      move(from, to);
      done.push([from, to]);
    }
  } catch (error) {
    takeBack(home, done, error);
  }
  end(home);
}

/**
 * Finishes a swap that was interrupted. No server must run.
 *
 * @throws NavigatorError `local_server_failed`: it cannot be finished. The server must not be started then
 */
export function finishSwap(home: string, progress: (line: string) => void): void {
  if (!isSwapUnderWay(home)) return;
  try {
    const running = runningServer(home);
    if (running !== null) throw new Error(`a server uses the folder (pid ${running.pid})`);
    const swap = Swap.parse(JSON.parse(readFileSync(swapFile(home), "utf8")));
    for (const [from, to] of movesOf(home, swap)) move(from, to);
    end(home);
    rmSync(path.join(home, swap.work), { recursive: true, force: true });
    progress("A restore that was interrupted is finished.");
  } catch (error) {
    throw unfinished(home, error);
  }
}

function end(home: string): void {
  flush(home);
  rmSync(swapFile(home));
}

const freshFiles = (home: string, { work }: Swap): string[] =>
  FILES.map((name) => path.join(home, work, name)).filter((file) => existsSync(file));

/** The moves that are left. The new database is moved before its log: while it is in its folder, the files in the home are the old ones. */
function movesOf(home: string, swap: Swap): [string, string][] {
  const { work, kept } = swap;
  const fresh = freshFiles(home, swap).map((file): [string, string] => [file, path.join(home, path.basename(file))]);
  if (!existsSync(path.join(home, work, DATABASE))) return fresh;
  const database = path.join(home, DATABASE);
  const old = SUFFIXES.map((suffix): [string, string] => [
    `${database}${suffix}`,
    path.join(home, `${kept ?? `${work}.old`}${suffix}`),
  ]);
  return [...old.filter(([from]) => existsSync(from)), ...fresh];
}

function move(from: string, to: string): void {
  if (existsSync(to)) throw new Error(`${to} is there already`);
  renameSync(from, to);
}

function takeBack(home: string, done: [string, string][], error: unknown): never {
  try {
    for (const [from, to] of done.reverse()) move(to, from);
    rmSync(swapFile(home));
  } catch {
    throw unfinished(home, error);
  }
  throw restoreFailed(home, (error as Error).message, error);
}

/** So that it is on the disk before what follows. */
function flush(fileOrFolder: string): void {
  const handle = openSync(fileOrFolder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    // Windows flushes no folder.
    if (!["EPERM", "EISDIR", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    closeSync(handle);
  }
}

const unfinished = (home: string, error: unknown): NavigatorError =>
  new NavigatorError(
    "local_server_failed",
    `A restore in ${home} was interrupted, and cannot be finished: ${(error as Error).message}.`,
    {
      hint: `Mend that, and run the command again: it finishes the restore. ${swapFile(home)} lists which files belong together; the old database is never removed.`,
      cause: error,
      details: { path: home, kind: "restore" },
    },
  );

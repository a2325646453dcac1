import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../core/base/navigator-error";
import { isGone } from "../node/is-gone";
import { PRIVATE_FILE } from "../node/private-files";
import { type BackupSummary, DATABASE, DESCRIPTION, type Described, digestOf, summaryOf, tar } from "./backup-archive";
import { finishSwap, isSwapUnderWay } from "./database-swap";
import { databaseFile, runningServer, whileServerLocked } from "./dev-server";
import { checkDatabase, DamagedDatabase } from "./sqlite/check-database";
import { copyDatabase } from "./sqlite/copy-database";
import { MissedFrames } from "./sqlite/write-ahead";

/** What a command that reads or writes a backup is about. */
export interface BackupPlace {
  /** The folder of the embedded server's data. */
  home: string;
  file: string;
  progress: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Copies the database of the embedded server, whether it runs or not, into an archive. The server goes on meanwhile: the copy has all
 * that was committed when the command began, and most of what was committed while it worked. The copy is checked.
 *
 * @throws NavigatorError `nothing_to_back_up`, `file_exists`, `backup_failed`; an AbortError if the signal says so
 */
export async function backupServer({ home, file, progress, signal }: BackupPlace): Promise<BackupSummary> {
  if (isSwapUnderWay(home))
    await whileServerLocked(home, { onWait: progress, signal }, async () => finishSwap(home, progress));
  if (!existsSync(databaseFile(home)))
    throw new NavigatorError("nothing_to_back_up", `There is no database at ${databaseFile(home)}.`, {
      hint: "Run the command in the folder of the project, or name it: --config FOLDER. A cluster's database has tools of its own: pg_dump, for example.",
    });
  if (existsSync(file))
    throw new NavigatorError("file_exists", `${file} is there already.`, {
      hint: "Choose another name, with the date.",
    });
  const folder = path.dirname(path.resolve(file));
  let work: string | null = null;
  try {
    removeOfKilled(folder);
    work = mkdtempSync(path.join(folder, `${WORK}${process.pid}-`));
    const copy = path.join(work, DATABASE);
    const at = new Date().toISOString();
    await copyDatabase(databaseFile(home), copy, signal);
    await checkDatabase(copy, signal);
    const described: Described = {
      ...{ navigator_backup: 1, at, server: runningServer(home)?.version ?? null },
      files: { [DATABASE]: await digestOf(copy, signal) },
    };
    writeFileSync(path.join(work, DESCRIPTION), `${JSON.stringify(described, null, 2)}\n`, PRIVATE_FILE);
    const archive = path.join(work, "archive");
    writeFileSync(archive, "", PRIVATE_FILE);
    await tar(["-czf", archive, "-C", work, DESCRIPTION, DATABASE], signal);
    signal?.throwIfAborted();
    renameSync(archive, file);
    return { file, home, ...summaryOf(described) };
  } catch (error) {
    if (signal?.aborted || error instanceof NavigatorError) throw error;
    throw new NavigatorError("backup_failed", `The backup could not be made: ${(error as Error).message}.`, {
      hint: hintOf(error, folder),
      cause: error,
    });
  } finally {
    if (work !== null) rmSync(work, { recursive: true, force: true });
  }
}

/** Before the pid of the process whose folder it is. */
const WORK = ".navigator-backup-";

/** A process that is killed leaves its copy behind. */
function removeOfKilled(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(WORK) ? Number.parseInt(name.slice(WORK.length), 10) : Number.NaN;
    if (Number.isSafeInteger(pid) && isGone(pid)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function hintOf(error: unknown, folder: string): string {
  if (error instanceof MissedFrames)
    return "Try again. If it happens again, stop the workers and the server (navigator server stop), back it up, and start them.";
  if (error instanceof DamagedDatabase)
    return "No backup was made. If it happens again, the database itself is damaged: keep your last backup, and stop the server (navigator server stop).";
  return `See whether ${folder} may be written, and has room for the database and its archive. The database was not changed.`;
}

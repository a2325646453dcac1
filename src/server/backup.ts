import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { NavigatorError } from "../core/base/navigator-error";
import { PRIVATE_FILE } from "../node/private-files";
import { databaseFile, protectHome, runningServer } from "./dev-server";
import { hasFairQueues, markQueues } from "./fair-queues";
import { withLock } from "./lock";
import { isStopped } from "./process";

/**
 * Copies of the embedded server's database: a tar archive of the database, of what SQLite has written ahead of it, and of a
 * description with their digests. The server is paused while its files are copied. What is copied then is what a crash would
 * leave behind at that moment, and SQLite is made to go on from that. Without the pause, pages of two moments could be mixed.
 */

const DESCRIPTION = "backup.json";
const DATABASE = "temporal.db";
const AHEAD = "temporal.db-wal";
/** SQLite makes it anew from the other two. */
const SHARED = "temporal.db-shm";

const Described = z.object({
  navigator_backup: z.literal(1),
  at: z.iso.datetime(),
  /** Of the Temporal server, if it ran. */
  server: z.string().nullable(),
  /** Absent: made before there were fair queues. */
  fair_queues: z.boolean().optional(),
  files: z.partialRecord(z.enum([DATABASE, AHEAD]), z.object({ bytes: z.int(), sha256: z.string() })),
});
type Described = z.infer<typeof Described>;

/** What a backup holds. */
export interface Backup {
  file: string;
  /** When it was made: ISO 8601. */
  at: string;
  bytes: number;
  /** The version of the Temporal server that ran. null: it was stopped. */
  server: string | null;
}

interface Place {
  home: string;
  file: string;
  progress: (line: string) => void;
}

/**
 * Copies the database of the embedded server, whether it runs or not.
 *
 * @throws NavigatorError `nothing_to_back_up`, `file_exists`, `backup_failed`
 */
export async function backupServer({ home, file, progress }: Place): Promise<Backup> {
  if (!existsSync(databaseFile(home)))
    throw new NavigatorError("nothing_to_back_up", `There is no database at ${databaseFile(home)}.`, {
      hint: "Run the command in the folder of the project, or set NAVIGATOR_HOME. A cluster's database has tools of its own: pg_dump, for example.",
    });
  if (existsSync(file))
    throw new NavigatorError("file_exists", `${file} is there already.`, {
      hint: "Choose another name, with the date.",
    });
  const folder = path.dirname(path.resolve(file));
  const work = mkdtempSync(path.join(folder, ".navigator-backup-"));
  try {
    const running = await locked(home, progress, async () => {
      const server = runningServer(home);
      if (server === null) copyDatabase(home, work);
      else await whilePaused(server.pid, () => copyDatabase(home, work));
      return server;
    });
    const names = [DATABASE, AHEAD].filter((name) => existsSync(path.join(work, name)));
    const entries = await Promise.all(
      names.map(async (name) => [name, await digestOf(path.join(work, name))] as const),
    );
    const described: Described = {
      navigator_backup: 1,
      at: new Date().toISOString(),
      server: running?.version ?? null,
      fair_queues: hasFairQueues(databaseFile(home)),
      files: Object.fromEntries(entries),
    };
    writeFileSync(path.join(work, DESCRIPTION), `${JSON.stringify(described, null, 2)}\n`, PRIVATE_FILE);
    const archive = path.join(work, "archive");
    writeFileSync(archive, "", PRIVATE_FILE);
    await tar("-czf", archive, "-C", work, DESCRIPTION, ...names);
    renameSync(archive, file);
    return { file, ...summaryOf(described) };
  } catch (error) {
    if (error instanceof NavigatorError) throw error;
    throw new NavigatorError("backup_failed", `The backup could not be written: ${(error as Error).message}`, {
      hint: `See whether ${folder} has room and may be written. The database was not changed.`,
      cause: error,
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Puts the database of a backup in the place of that of the embedded server, which must not run. The old one is kept.
 *
 * @returns what the backup holds, and where the old database is; null if there was none
 * @throws NavigatorError `already_running`, `bad_backup` for a file that is no whole backup: nothing was changed then
 */
export async function restoreServer({ home, file, progress }: Place): Promise<Backup & { kept: string | null }> {
  if (!existsSync(file)) throw badBackup(file, "there is no such file");
  return locked(home, progress, async () => {
    const running = runningServer(home);
    if (running !== null)
      throw new NavigatorError("already_running", `The embedded server of ${home} runs (pid ${running.pid}).`, {
        hint: "Stop the workers, then: navigator server stop. Then restore, and start them again.",
      });
    protectHome(home, progress);
    const work = mkdtempSync(path.join(home, "restore-"));
    try {
      const described = await unpacked(file, work);
      const stamp = new Date().toISOString().replace(/[:.]/g, "-");
      const kept = existsSync(databaseFile(home)) ? `${databaseFile(home)}.before-${stamp}` : null;
      // The database goes last: without it the files beside it mean nothing.
      for (const name of [SHARED, AHEAD, DATABASE]) {
        const [there, fresh] = [path.join(home, name), path.join(work, name)];
        if (existsSync(there)) renameSync(there, `${kept ?? there}${name.slice(DATABASE.length)}`);
        if (existsSync(fresh)) renameSync(fresh, there);
      }
      markQueues(databaseFile(home), described.fair_queues === true);
      protectHome(home, progress);
      return { file, ...summaryOf(described), kept };
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

const locked = <T>(home: string, progress: Place["progress"], work: () => Promise<T>): Promise<T> =>
  withLock(
    path.join(home, "server.lock"),
    () => progress("Another Navigator command starts the server. Waiting."),
    work,
  );

function copyDatabase(home: string, to: string): void {
  for (const name of [DATABASE, AHEAD]) {
    const from = path.join(home, name);
    // At once where the file system can share the blocks.
    if (existsSync(from)) copyFileSync(from, path.join(to, name), constants.COPYFILE_FICLONE);
  }
}

/** How long a process may take to stop where it is. */
const PAUSE_MS = 5_000;

/** The work, while a process is paused. It goes on whatever becomes of us. */
async function whilePaused(pid: number, work: () => void): Promise<void> {
  if (process.platform === "win32")
    throw new NavigatorError("backup_failed", "On Windows a server that runs cannot be paused.", {
      hint: "Stop it first (navigator server stop), back it up, and start it again.",
    });
  // Its stdin closes when we end, in whatever way: then it lets the server go on.
  const goOn = `process.stdin.on("close", () => { try { process.kill(${pid}, "SIGCONT"); } catch {} }).resume(); console.log("ready");`;
  const guard = spawn(process.execPath, ["-e", goOn], { stdio: ["pipe", "pipe", "ignore"] });
  await new Promise((resolve, reject) => guard.once("error", reject).stdout.once("data", resolve));
  try {
    process.kill(pid, "SIGSTOP");
    for (const until = Date.now() + PAUSE_MS; !isStopped(pid); await sleep(5))
      if (Date.now() > until) throw new Error(`the server (pid ${pid}) could not be paused`);
    work();
  } finally {
    process.kill(pid, "SIGCONT");
    guard.stdin.end();
  }
}

async function unpacked(file: string, to: string): Promise<Described> {
  try {
    await tar("-xzf", file, "-C", to, DESCRIPTION);
  } catch (error) {
    throw badBackup(file, "it is no archive of `navigator server backup`, or only a part of one", error);
  }
  const described = Described.safeParse(json(readFileSync(path.join(to, DESCRIPTION), "utf8")));
  if (!described.success) throw badBackup(file, "it was made by another version, or by another program");
  const { files } = described.data;
  if (files[DATABASE] === undefined) throw badBackup(file, "it has no database");
  try {
    await tar("-xzf", file, "-C", to, ...Object.keys(files));
  } catch (error) {
    throw badBackup(file, "it is only a part of an archive", error);
  }
  for (const [name, expected] of Object.entries(files)) {
    const found = await digestOf(path.join(to, name));
    if (found.sha256 !== expected?.sha256) throw badBackup(file, `${name} in it was changed`);
  }
  return described.data;
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // no description either
  }
};

const summaryOf = ({ at, server, files }: Described): Pick<Backup, "at" | "server" | "bytes"> => ({
  at,
  server,
  bytes: Object.values(files).reduce((sum, one) => sum + (one?.bytes ?? 0), 0),
});

async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

const tar = (...args: string[]) => promisify(execFile)("tar", args);

const badBackup = (file: string, why: string, cause?: unknown): NavigatorError =>
  new NavigatorError("bad_backup", `${file} cannot be restored: ${why}.`, {
    hint: "Nothing was changed. Take another backup, or copy this one again from where it is kept.",
    ...(cause === undefined ? {} : { cause }),
  });

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { inodeOf, MissedFrames, WriteAhead, writeAll } from "./write-ahead";

/**
 * Copies a SQLite database while a program writes to it. Nobody is stopped, and no lock is taken.
 *
 * SQLite writes a commit to the write-ahead file first, and puts it into the database at some later time. So the file that is copied
 * while this goes on has pages of several moments, and some that are written to just then. All of these were in the write-ahead file
 * before, since the copy began: it is followed meanwhile, and at the end its pages replace those of the copy. What comes out is the
 * database after the last commit that was read.
 */

const FOLLOW_MS = 10;
const CHUNK_BYTES = 1 << 20;
/**
 * The copy is begun again if the server was restarted meanwhile, or wrote faster than a busy machine let us read: for this time, and
 * at least this often. A small database is copied in milliseconds.
 */
const TRY_MS = 60_000;
const TRIES = 3;

/**
 * @param to one file: nothing is ahead of it
 * @throws MissedFrames after some tries, an AbortError; Error what cannot be read or written
 */
export async function copyDatabase(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const logFile = `${to}.pages`;
  const log = openSync(logFile, "w+", 0o600);
  const ahead = new WriteAhead(`${from}-wal`, log);
  try {
    for (let tries = 1, until = Date.now() + TRY_MS; ; tries++) {
      try {
        return await copyOnce(from, to, ahead, signal);
      } catch (error) {
        if (!(error instanceof MissedFrames) || (tries >= TRIES && Date.now() > until)) throw error;
        signal?.throwIfAborted();
        ahead.startAgain();
      }
    }
  } finally {
    ahead.close();
    closeSync(log);
    rmSync(logFile, { force: true });
  }
}

async function copyOnce(from: string, to: string, ahead: WriteAhead, signal?: AbortSignal): Promise<void> {
  if (existsSync(`${from}-journal`)) throw new Error(`${from} has a rollback journal: it is not in WAL mode`);
  const source = await open(from, "r");
  try {
    const before = await source.stat({ bigint: true });
    ahead.catchUp();
    await following(ahead, () => copyFile(source, from, to, signal));
    ahead.catchUp();
    if (inodeOf(from) !== Number(before.ino)) throw new MissedFrames("another database was put in its place");
    const after = await source.stat({ bigint: true });
    if (ahead.pageBytes === null && (after.mtimeNs !== before.mtimeNs || after.size !== before.size))
      throw new MissedFrames("it was written to without a write-ahead file");
  } finally {
    await source.close();
  }
  complete(to, ahead);
}

/** The work, while the write-ahead file is read again and again. */
async function following(ahead: WriteAhead, work: () => Promise<void>): Promise<void> {
  let failure: unknown = null;
  const timer = setInterval(() => {
    try {
      if (failure === null) ahead.catchUp();
    } catch (error) {
      failure = error;
    }
  }, FOLLOW_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  if (failure !== null) throw failure;
}

async function copyFile(source: FileHandle, from: string, to: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  rmSync(to, { force: true });
  try {
    // At once, where the file system can share the blocks.
    return copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    rmSync(to, { force: true });
  }
  const target = await open(to, "w", 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await source.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) return;
      await target.writeFile(chunk.subarray(0, bytesRead)); // goes on where the last one ended
      at += bytesRead;
    }
  } finally {
    await target.close();
  }
}

/** Puts the pages of the log into the copy. */
function complete(to: string, { pages, pageCount, pageBytes, log }: WriteAhead): void {
  const copy = openSync(to, "r+", 0o600);
  try {
    if (pageCount !== null && pageBytes !== null) {
      const page = Buffer.alloc(pageBytes);
      for (const [number, at] of pages) {
        if (number > pageCount) continue;
        if (readSync(log, page, 0, pageBytes, at) !== pageBytes) throw new Error("the log of the copy was cut off");
        writeAll(copy, page, (number - 1) * pageBytes);
      }
      ftruncateSync(copy, pageCount * pageBytes);
    }
    if (fstatSync(copy).size === 0) throw new Error(`${to} would be empty`);
    fsyncSync(copy);
  } finally {
    closeSync(copy);
  }
}

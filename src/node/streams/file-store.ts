import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { StreamEntry } from "../../core/history/stream/entry";
import { delay } from "../delay";
import { PRIVATE_FILE, privateFolder } from "../private-files";
import { CLEAR, type EntryForm } from "./entry-form";
import { PRUNE_LIMIT, READ_LIMIT, type StreamPart, type StreamStore } from "./stream-store";

const NEWLINE = 0x0a;
/** How much of a file is read at a time. */
const CHUNK_BYTES = 256 * 1024;
/** How often a file is looked at for more, in ms. Notices of the system do not come from every kind of disk. */
const LOOK_MS = 50;
/** A reader that waits for a silent stream looks less and less often, up to this, in ms. */
const LOOK_SELDOM_MS = 400;

/**
 * Streams in files, one for each: a JSON object a line. An offset is a position in the file. One write adds whole lines, and systems
 * do not mix the writes of several processes to one file; a writer that was killed in the middle leaves a line that nobody
 * can read, which readers skip.
 */
export class FileStreamStore implements StreamStore {
  /** @param folder is made private */
  constructor(
    private readonly folder: string,
    private readonly form: EntryForm = CLEAR,
  ) {
    privateFolder(folder);
  }

  async append(stream: string, entries: readonly StreamEntry[]): Promise<void> {
    if (entries.length === 0) return;
    // The newline before ends the line of a writer that was killed.
    const text = (await this.form.write(entries)).map((entry) => `\n${entry}`).join("");
    const file = await open(this.fileOf(stream), "a", PRIVATE_FILE.mode);
    try {
      await file.writeFile(`${text}\n`);
    } finally {
      await file.close();
    }
  }

  async read(stream: string, offset: number, limit = READ_LIMIT): Promise<StreamPart> {
    const file = await this.opened(stream);
    if (file === null) return { entries: [], next: offset };
    try {
      // A file that is shorter than what was read of it is another one: the old one was removed.
      const { size } = await file.stat();
      return await readLines(file, { offset: size < offset ? 0 : offset, limit, form: this.form });
    } finally {
      await file.close();
    }
  }

  async more(stream: string, offset: number, signal: AbortSignal): Promise<void> {
    let pause = LOOK_MS;
    while (!signal.aborted && !(await this.hasMore(stream, offset))) {
      await delay(pause, signal).catch(() => {});
      pause = Math.min(pause * 1.2, LOOK_SELDOM_MS);
    }
  }

  async prune(before: number): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.folder)) {
      if (removed === PRUNE_LIMIT) break;
      if (!name.endsWith(ENDING)) continue;
      const file = path.join(this.folder, name);
      // Another worker may have removed it.
      const mtimeMs = await stat(file).then(
        (found) => found.mtimeMs,
        () => before,
      );
      if (mtimeMs >= before) continue;
      await rm(file, { force: true });
      removed += 1;
    }
    return removed;
  }

  async close(): Promise<void> {}

  private async hasMore(stream: string, offset: number): Promise<boolean> {
    const size = await this.sizeOf(stream);
    if (size > 0 && size < offset) return true;
    // A line that a killed writer has left is more in the file, and nothing to read.
    if (size <= offset) return false;
    // If it cannot be read, the next read reports the fault.
    const next = await this.read(stream, offset, 1).then(
      (part) => part.next,
      () => null,
    );
    return next !== offset;
  }

  /** Names of streams have characters that files cannot have, and may be longer. */
  private fileOf(stream: string): string {
    return path.join(this.folder, `${createHash("sha256").update(stream).digest("hex").slice(0, 40)}${ENDING}`);
  }

  private async opened(stream: string): Promise<FileHandle | null> {
    try {
      return await open(this.fileOf(stream), "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  private async sizeOf(stream: string): Promise<number> {
    try {
      return (await stat(this.fileOf(stream))).size;
    } catch {
      return 0;
    }
  }
}

const ENDING = ".jsonl";

/** Whole lines only: the rest of the last one may be on its way. */
async function readLines(
  file: FileHandle,
  { offset, limit, form }: { offset: number; limit: number; form: EntryForm },
): Promise<StreamPart> {
  const entries: StreamEntry[] = [];
  let next = offset;
  let rest = Buffer.alloc(0);
  while (entries.length < limit) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, next + rest.length);
    if (bytesRead === 0) break;
    const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = text.indexOf(NEWLINE); end >= 0 && entries.length < limit; end = text.indexOf(NEWLINE, from)) {
      const entry = await form.read(text.toString("utf8", from, end));
      if (entry !== null) entries.push(entry);
      from = end + 1;
    }
    next += from;
    rest = text.subarray(from);
  }
  return { entries, next };
}

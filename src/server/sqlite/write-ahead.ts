import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";

/**
 * What a SQLite database in WAL mode has committed and not yet put into its file: https://www.sqlite.org/fileformat2.html#walformat.
 * The file beside the database (`-wal`) is a header and frames, a page in each. A frame counts if it has the salts of the header, its
 * checksum goes on from the one before it, and a frame that ends a commit follows.
 */

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The last bit says how the words are read that go into a checksum: 1 big endian, 0 little endian. */
const MAGIC = 0x377f0682;
const FRAMES_AT_ONCE = 256;

type Sums = readonly [number, number];

/** The file is written from its start again and again, each time with other salts. */
interface Generation {
  file: number;
  inode: number;
  number: number;
  salts: string;
  isBigEndian: boolean;
  pageBytes: number;
  /** Where the first frame is that is in no commit which was read, and the checksum before it. */
  at: number;
  sums: Sums;
}

/** Frames were overwritten, or the file was removed, before they were read. What was copied meanwhile is of no use. */
export class MissedFrames extends Error {}

/**
 * Follows the file while a program writes to the database, and keeps the newest committed version of each page. It takes no lock, so
 * nobody waits for it. Call `catchUp` often: the writer overwrites what it has put into the database, some megabytes at a time.
 */
export class WriteAhead {
  /** Where the log has each page that was committed, by its number from 1. */
  readonly pages = new Map<number, number>();
  /** The size of the database after the last commit, in pages; null: there was none. */
  pageCount: number | null = null;
  private generation: Generation | null = null;
  private logBytes = 0;
  private hasBegun = false;
  /** Times that the header was not whole. */
  private invalid = 0;

  /**
   * @param file the `-wal` file; it need not be there
   * @param log an open file for what was committed
   */
  constructor(
    private readonly file: string,
    readonly log: number,
  ) {}

  get pageBytes(): number | null {
    return this.generation?.pageBytes ?? null;
  }

  /** Takes all that was committed until now. @throws MissedFrames */
  catchUp(): void {
    this.follow();
    this.hasBegun = true;
  }

  /** Forgets what was read: the file as it is now says all about the database as it is now. */
  startAgain(): void {
    this.close();
    this.generation = null;
    this.pages.clear();
    this.pageCount = null;
    this.logBytes = 0;
    this.hasBegun = false;
    ftruncateSync(this.log, 0);
  }

  close(): void {
    if (this.generation !== null) closeSync(this.generation.file);
  }

  private follow(): void {
    for (;;) {
      const { generation } = this;
      if (generation !== null) this.takeCommits(generation);
      const next = this.newest();
      if (next === "torn") continue;
      if (next === null && generation === null) return;
      if (next === null) throw new MissedFrames("the write-ahead file was removed");
      if (next.inode === generation?.inode && next.salts === generation.salts) return closeSync(next.file);
      if (generation !== null) this.finish(generation, next);
      // There was no file, and the first one is not the first that there was since then.
      else if (this.hasBegun && next.number !== 0) throw new MissedFrames("the write-ahead file was begun anew");
      this.generation = next;
    }
  }

  /** The last frames of a generation stay readable until the next one is as long. */
  private finish(generation: Generation, next: Generation): void {
    const isNext = next.inode === generation.inode && next.number === (generation.number + 1) >>> 0;
    if (isNext) this.takeCommits(generation);
    if (!isNext || saltsAt(generation.file, generation.at) === next.salts) {
      closeSync(next.file);
      throw new MissedFrames("the write-ahead file was overwritten faster than it was read");
    }
    closeSync(generation.file);
  }

  private newest(): Generation | "torn" | null {
    let file: number;
    try {
      file = openSync(this.file, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
    const header = Buffer.alloc(HEADER_BYTES);
    const found = readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? generationOf(file, header) : null;
    if (found === null) {
      const isEmpty = fstatSync(file).size === 0;
      closeSync(file);
      return isEmpty ? null : this.isInvalid();
    }
    return found;
  }

  /** It is being written just now, for some microseconds; or it is damaged, and SQLite does not read it either. */
  private isInvalid(): "torn" | null {
    this.invalid += 1;
    return this.invalid % 100 === 0 ? null : "torn";
  }

  private takeCommits(generation: Generation): void {
    const { file, salts, isBigEndian, pageBytes } = generation;
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    const buffer = Buffer.alloc(FRAMES_AT_ONCE * frameBytes);
    const uncommitted = new Map<number, number>();
    let { at, sums } = generation;
    let end = this.logBytes;
    for (;;) {
      const frames = Math.floor(readSync(file, buffer, 0, buffer.length, at) / frameBytes);
      for (let n = 0; n < frames; n++) {
        const frame = buffer.subarray(n * frameBytes, (n + 1) * frameBytes);
        sums = checksum(frame.subarray(0, 8), sums, isBigEndian);
        sums = checksum(frame.subarray(FRAME_HEADER_BYTES), sums, isBigEndian);
        const isValid =
          saltsOf(frame, 8) === salts && sums[0] === frame.readUInt32BE(16) && sums[1] === frame.readUInt32BE(20);
        if (!isValid) return;
        writeAll(this.log, frame.subarray(FRAME_HEADER_BYTES), end);
        uncommitted.set(frame.readUInt32BE(0), end);
        at += frameBytes;
        end += pageBytes;
        const sizeAfterCommit = frame.readUInt32BE(4);
        if (sizeAfterCommit === 0) continue;
        for (const [page, place] of uncommitted) this.pages.set(page, place);
        uncommitted.clear();
        this.pageCount = sizeAfterCommit;
        this.logBytes = end;
        Object.assign(generation, { at, sums });
      }
      if (frames < FRAMES_AT_ONCE) return;
    }
  }
}

function generationOf(file: number, header: Buffer): Generation | null {
  const sums = checksum(header.subarray(0, 24), [0, 0], (header.readUInt32BE(0) & 1) === 1);
  const isValid = sums[0] === header.readUInt32BE(24) && sums[1] === header.readUInt32BE(28);
  if (!isValid || (header.readUInt32BE(0) & ~1) !== MAGIC) return null;
  return {
    ...{ file, inode: fstatSync(file).ino, sums, at: HEADER_BYTES },
    number: header.readUInt32BE(12),
    salts: saltsOf(header, 16),
    isBigEndian: (header.readUInt32BE(0) & 1) === 1,
    pageBytes: header.readUInt32BE(8),
  };
}

const saltsOf = (buffer: Buffer, at: number): string => buffer.toString("hex", at, at + 8);

function saltsAt(file: number, at: number): string | null {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  return readSync(file, header, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES ? null : saltsOf(header, 8);
}

function checksum(bytes: Buffer, [one, other]: Sums, isBigEndian: boolean): Sums {
  let [a, b] = [one, other];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

/** One write may take less than all. */
export function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

/** Which file a name means; null: none. Another database has been put there if it changes. */
export const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null;

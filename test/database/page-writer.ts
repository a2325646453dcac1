import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

/** Writes a database of pages as SQLite in WAL mode does: commits go to the `-wal` file, and later to the database. */
export class PageWriter {
  static readonly pageBytes = 512;
  private readonly database: number;
  private readonly ahead: number;
  private generation = 0;
  private salts: [number, number] = [7, 7];
  private sums: [number, number] = [0, 0];
  private at = 0;
  private readonly waiting = new Map<number, Buffer>();
  private pages = 0;

  constructor(file: string) {
    this.database = openSync(file, "w+");
    this.ahead = openSync(`${file}-wal`, "w+");
  }

  /** @param pages by their number from 1; the size in pages that the database has then */
  commit(pages: { [number: number]: number }, size: number, isCommitted = true): void {
    if (this.at === 0) this.header();
    const numbers = Object.keys(pages).map(Number);
    const before = { at: this.at, sums: this.sums };
    for (const [n, number] of numbers.entries()) {
      const page = Buffer.alloc(PageWriter.pageBytes, pages[number]);
      const head = Buffer.alloc(24);
      head.writeUInt32BE(number, 0);
      head.writeUInt32BE(isCommitted && n === numbers.length - 1 ? size : 0, 4);
      head.writeUInt32BE(this.salts[0], 8);
      head.writeUInt32BE(this.salts[1], 12);
      this.sums = sum(page, sum(head.subarray(0, 8), this.sums));
      head.writeUInt32BE(this.sums[0], 16);
      head.writeUInt32BE(this.sums[1], 20);
      writeSync(this.ahead, Buffer.concat([head, page]), 0, 24 + page.length, this.at);
      this.at += 24 + page.length;
      if (isCommitted) this.waiting.set(number, page);
    }
    if (isCommitted) this.pages = size;
    // What was rolled back is overwritten.
    else Object.assign(this, before);
  }

  /** Puts some or all of what was committed into the database. After all, the file ahead is begun anew. */
  checkpoint(most = Number.POSITIVE_INFINITY): void {
    for (const [number, page] of [...this.waiting].slice(0, most)) {
      writeSync(this.database, page, 0, page.length, (number - 1) * page.length);
      this.waiting.delete(number);
    }
    if (this.waiting.size > 0) return;
    ftruncateSync(this.database, this.pages * PageWriter.pageBytes);
    this.generation += 1;
    this.salts = [this.salts[0] + 1, this.salts[1] * 31];
    this.at = 0;
  }

  /** A page that is written just now. */
  tear(number: number): void {
    writeSync(this.database, Buffer.alloc(200, 0xee), 0, 200, (number - 1) * PageWriter.pageBytes);
  }

  close(): void {
    closeSync(this.database);
    closeSync(this.ahead);
  }

  private header(): void {
    const header = Buffer.alloc(32);
    for (const [n, word] of [0x377f0682, 3007000, PageWriter.pageBytes, this.generation, ...this.salts].entries())
      header.writeUInt32BE(word >>> 0, n * 4);
    this.salts = [header.readUInt32BE(16), header.readUInt32BE(20)];
    this.sums = sum(header.subarray(0, 24), [0, 0]);
    header.writeUInt32BE(this.sums[0], 24);
    header.writeUInt32BE(this.sums[1], 28);
    writeSync(this.ahead, header, 0, 32, 0);
    this.at = 32;
  }
}

function sum(bytes: Buffer, [a, b]: [number, number]): [number, number] {
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + bytes.readUInt32LE(at) + b) >>> 0;
    b = (b + bytes.readUInt32LE(at + 4) + a) >>> 0;
  }
  return [a, b];
}

/** What the pages of a file are filled with; null: with more than one value. */
export function fillsOf(file: string): (number | null)[] {
  const handle = openSync(file, "r");
  const fills: (number | null)[] = [];
  const page = Buffer.alloc(PageWriter.pageBytes);
  for (let n = 0; readSync(handle, page, 0, page.length, n * page.length) === page.length; n++)
    fills.push(page.every((byte) => byte === page[0]) ? (page[0] as number) : null);
  closeSync(handle);
  return fills;
}

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";

/**
 * Whether a SQLite database is whole: each page belongs to exactly one tree, or is free; the rows of each table are in order; an index
 * has as many entries as its table has rows. It is what `PRAGMA quick_check` looks at, and finds pages of different moments.
 * The format: https://www.sqlite.org/fileformat2.html
 */

const INTERIOR_INDEX = 2;
const INTERIOR_TABLE = 5;
const LEAF_INDEX = 10;
const LEAF_TABLE = 13;
const HEADER_BYTES = 100;
/** The page with this byte is never used: SQLite's locks are there. */
const LOCK_BYTE = 0x40000000;
const PAGES_AT_ONCE = 1_000;
const MAX_DEPTH = 40;

/** What is wrong with the database. */
export class DamagedDatabase extends Error {}

const damaged = (what: string): DamagedDatabase => new DamagedDatabase(what);

export interface CheckedDatabase {
  pages: number;
  /** The rows of each table, by its name. */
  rows: Map<string, number>;
}

/** @throws DamagedDatabase the first mistake */
export async function checkDatabase(file: string, signal?: AbortSignal): Promise<CheckedDatabase> {
  const handle = openSync(file, "r");
  try {
    return await new Check(handle, signal).run();
  } catch (error) {
    // A number in it points out of its page.
    if (error instanceof RangeError) throw damaged(`a page is not readable (${error.message})`);
    throw error;
  } finally {
    closeSync(handle);
  }
}

interface Entry {
  type: string;
  name: string;
  table: string;
  root: number;
  sql: string;
}

class Check {
  private readonly pageBytes: number;
  /** Without what is reserved at the end of each page. */
  private readonly usable: number;
  private readonly pages: number;
  private readonly header: Buffer;
  /** 1: the page was met. */
  private readonly met: Uint8Array;
  private looked = 0;

  constructor(
    private readonly file: number,
    private readonly signal?: AbortSignal,
  ) {
    this.header = Buffer.alloc(HEADER_BYTES);
    const read = readSync(file, this.header, 0, HEADER_BYTES, 0);
    if (read < HEADER_BYTES || this.header.toString("latin1", 0, 16) !== "SQLite format 3\0")
      throw damaged("it is no SQLite database");
    const size = this.header.readUInt16BE(16);
    this.pageBytes = size === 1 ? 65_536 : size;
    this.usable = this.pageBytes - this.header.readUInt8(20);
    if (this.pageBytes < 512 || this.usable < 480) throw damaged("its page size cannot be");
    this.pages = fstatSync(file).size / this.pageBytes;
    const said = this.header.readUInt32BE(28);
    const isSaid = this.header.readUInt32BE(24) === this.header.readUInt32BE(92);
    if (!Number.isInteger(this.pages) || (isSaid && said !== this.pages))
      throw damaged(`it has ${this.pages} pages, and says that it has ${said}`);
    this.met = new Uint8Array(Math.ceil(this.pages) + 1);
  }

  async run(): Promise<CheckedDatabase> {
    const entries: Entry[] = [];
    await this.tree(1, (payload) => void entries.push(entryOf(payload())));
    const counts = new Map<string, number>();
    for (const entry of entries.filter(({ root }) => root > 0))
      counts.set(`${entry.type} ${entry.name}`, await this.tree(entry.root));
    for (const { type, name, table, sql } of entries) {
      const [found, rows] = [counts.get(`index ${name}`), counts.get(`table ${table}`)];
      const isWhole = type === "index" && !/\bwhere\b/i.test(sql);
      if (isWhole && found !== rows)
        throw damaged(`index ${name} has ${found} entries, its table ${table} ${rows} rows`);
    }
    this.free();
    this.pointerMaps();
    const lock = Math.floor(LOCK_BYTE / this.pageBytes) + 1;
    if (lock <= this.pages) this.meet(lock);
    const lost = this.met.indexOf(0, 1);
    if (lost !== -1) throw damaged(`page ${lost} belongs to nothing`);
    const tables = [...counts].filter(([name]) => name.startsWith("table "));
    return { pages: this.pages, rows: new Map(tables.map(([name, rows]) => [name.slice("table ".length), rows])) };
  }

  /** @returns its rows or entries */
  private async tree(root: number, onRow?: (payload: () => Buffer) => void): Promise<number> {
    const order = { last: null as bigint | null };
    return this.branch(root, null, order, 0, onRow);
  }

  private async branch(
    number: number,
    kind: "table" | "index" | null,
    order: { last: bigint | null },
    depth: number,
    onRow?: (payload: () => Buffer) => void,
  ): Promise<number> {
    const page = this.page(number);
    if (++this.looked % PAGES_AT_ONCE === 0) await breathe();
    this.signal?.throwIfAborted();
    const at = number === 1 ? HEADER_BYTES : 0;
    const type = page.readUInt8(at);
    const isTable = type === LEAF_TABLE || type === INTERIOR_TABLE;
    if (!isTable && type !== LEAF_INDEX && type !== INTERIOR_INDEX)
      throw damaged(`page ${number} is no page of a tree`);
    const own = isTable ? "table" : "index";
    if ((kind ?? own) !== own || depth > MAX_DEPTH) throw damaged(`page ${number} is in a tree of another kind`);
    const isLeaf = type === LEAF_TABLE || type === LEAF_INDEX;
    const cells = page.readUInt16BE(at + 3);
    let rows = 0;
    for (let n = 0; n < cells; n++) {
      let cell = page.readUInt16BE(at + (isLeaf ? 8 : 12) + 2 * n);
      if (!isLeaf) {
        rows += await this.branch(page.readUInt32BE(cell), own, order, depth + 1, onRow);
        cell += 4;
      }
      if (isTable && !isLeaf) {
        const key = varint(page, cell).value;
        if (order.last !== null && order.last > key) throw damaged(`the rows of page ${number} are not in order`);
        continue;
      }
      const size = varint(page, cell);
      let start = size.end;
      if (isTable) {
        const key = varint(page, start);
        if (order.last !== null && order.last >= key.value)
          throw damaged(`the rows of page ${number} are not in order`);
        order.last = key.value;
        start = key.end;
      }
      const payload = this.payload(page, start, Number(size.value), isTable, onRow !== undefined);
      onRow?.(() => payload);
      rows += 1;
    }
    if (!isLeaf) rows += await this.branch(page.readUInt32BE(at + 8), own, order, depth + 1, onRow);
    return rows;
  }

  /** What a cell holds. The pages are met that have what does not fit. */
  private payload(page: Buffer, at: number, bytes: number, isTable: boolean, isWanted: boolean): Buffer {
    const { usable } = this;
    const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    if (bytes <= most) return part(page, at, bytes);
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const rest = least + ((bytes - least) % (usable - 4));
    const local = rest <= most ? rest : least;
    const parts = [part(page, at, local)];
    let left = bytes - local;
    for (let next = page.readUInt32BE(at + local); left > 0; left -= usable - 4) {
      const overflow = this.page(next);
      if (isWanted) parts.push(overflow.subarray(4, 4 + Math.min(left, usable - 4)));
      next = overflow.readUInt32BE(0);
    }
    return isWanted ? Buffer.concat(parts) : page;
  }

  private free(): void {
    let found = 0;
    for (let next = this.header.readUInt32BE(32); next !== 0; ) {
      const trunk = this.page(next);
      const leaves = trunk.readUInt32BE(4);
      for (let n = 0; n < leaves; n++) this.meet(trunk.readUInt32BE(8 + 4 * n));
      found += 1 + leaves;
      next = trunk.readUInt32BE(0);
    }
    const said = this.header.readUInt32BE(36);
    if (found !== said) throw damaged(`${found} pages are free, and it says ${said}`);
  }

  /** Pages that say where the others are used, if the file shrinks by itself. */
  private pointerMaps(): void {
    if (this.header.readUInt32BE(52) === 0) return;
    const step = Math.floor(this.usable / 5) + 1;
    for (let map = 2; map <= this.pages; map += step) {
      const isLock = map === Math.floor(LOCK_BYTE / this.pageBytes) + 1;
      this.meet(isLock ? map + 1 : map);
    }
  }

  private page(number: number): Buffer {
    this.meet(number);
    const page = Buffer.alloc(this.pageBytes);
    if (readSync(this.file, page, 0, this.pageBytes, (number - 1) * this.pageBytes) !== this.pageBytes)
      throw damaged(`page ${number} is cut off`);
    return page;
  }

  private meet(number: number): void {
    if (number < 1 || number > this.pages) throw damaged(`page ${number} is used, and there are ${this.pages}`);
    if (this.met[number] === 1) throw damaged(`page ${number} is used twice`);
    this.met[number] = 1;
  }
}

function part(page: Buffer, at: number, bytes: number): Buffer {
  if (at + bytes > page.length) throw new RangeError("a cell ends outside of its page");
  return page.subarray(at, at + bytes);
}

/** Up to nine bytes: seven bits of each, and all of the ninth. */
function varint(bytes: Buffer, at: number): { value: bigint; end: number } {
  // Most have one byte.
  const first = bytes.readUInt8(at);
  if (first < 0x80) return { value: BigInt(first), end: at + 1 };
  let value = BigInt(first & 0x7f);
  for (let n = 1; n < 8; n++) {
    const byte = bytes.readUInt8(at + n);
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return { value, end: at + n + 1 };
  }
  return { value: BigInt.asIntN(64, (value << 8n) | BigInt(bytes.readUInt8(at + 8))), end: at + 9 };
}

/** A row of the schema: type, name, table, page of the root, the statement that made it. */
function entryOf(record: Buffer): Entry {
  const header = varint(record, 0);
  const values: (string | number)[] = [];
  let at = header.end;
  for (let from = Number(header.value); at < Number(header.value); ) {
    const { value, end } = varint(record, at);
    at = end;
    const type = Number(value);
    const bytes = type >= 12 ? Math.floor((type - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0);
    const isNumber = type < 12;
    if (isNumber) values.push(type === 9 ? 1 : bytes === 0 || bytes > 6 ? 0 : record.readIntBE(from, bytes));
    else values.push(record.toString("utf8", from, from + bytes));
    from += bytes;
  }
  const [type, name, table, root, sql] = values;
  return { type: String(type), name: String(name), table: String(table), root: Number(root), sql: String(sql) };
}

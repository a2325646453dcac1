import { closeSync, copyFileSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { checkDatabase } from "../../src/server/sqlite/check-database";
import { copyDatabase } from "../../src/server/sqlite/copy-database";
import { MissedFrames, WriteAhead } from "../../src/server/sqlite/write-ahead";
import { temporaryFolder } from "../support/environment";
import { fillsOf, PageWriter } from "./page-writer";

/** Copies of a database that is written to. The files in `fixtures/` are SQLite's own: `whole.db-wal` has three later commits. */

const { path: folder, remove } = temporaryFolder("copy-database");
const database = path.join(folder, "temporal.db");
const copy = path.join(folder, "copy.db");
const fixture = (name: string) => path.join(__dirname, "fixtures", name);
afterAll(remove);

let writer: PageWriter;
let log: number;
let ahead: WriteAhead;
beforeEach(() => {
  for (const name of ["temporal.db", "temporal.db-wal", "copy.db"]) rmSync(path.join(folder, name), { force: true });
  writer = new PageWriter(database);
  log = openSync(path.join(folder, "log"), "w+");
  ahead = new WriteAhead(`${database}-wal`, log);
});
afterEach(() => {
  ahead.close();
  closeSync(log);
  writer.close();
});

/** What the pages were filled with that were read, in the order of their numbers. */
const read = () => {
  const whole = readFileSync(path.join(folder, "log"));
  return Object.fromEntries([...ahead.pages].map(([number, at]) => [number, whole[at]]));
};

test("commits are read once they are whole; what was rolled back and overwritten is not", () => {
  ahead.catchUp();
  writer.commit({ 1: 1, 2: 1 }, 2);
  writer.commit({ 2: 9, 3: 9 }, 3, false);
  ahead.catchUp();
  expect(read()).toEqual({ 1: 1, 2: 1 });
  writer.commit({ 3: 2 }, 3);
  ahead.catchUp();
  ahead.catchUp();
  expect(read()).toEqual({ 1: 1, 2: 1, 3: 2 });
  expect(ahead.pageCount).toBe(3);
});

test("a file that was begun anew is followed; the last commits before that are not lost", () => {
  writer.commit({ 1: 1, 2: 1, 3: 1 }, 3);
  ahead.catchUp();
  writer.commit({ 2: 2 }, 3);
  writer.checkpoint();
  writer.commit({ 3: 3 }, 3);
  ahead.catchUp();
  expect(read()).toEqual({ 1: 1, 2: 2, 3: 3 });
});

test.each<[string, () => void]>([
  ["overwritten before it was read", () => writer.commit({ 1: 3, 2: 3, 3: 3 }, 3)],
  [
    "begun anew twice",
    () =>
      [1, 2].forEach(() => {
        writer.commit({ 1: 3 }, 3);
        writer.checkpoint();
      }),
  ],
  ["removed", () => rmSync(`${database}-wal`)],
])("a file that was %s is noticed", (_, work) => {
  writer.commit({ 1: 1 }, 3);
  ahead.catchUp();
  writer.commit({ 2: 2 }, 3);
  writer.checkpoint();
  work();
  expect(() => ahead.catchUp()).toThrow(MissedFrames);
});

test("pages of later moments, and one that is written just now, are made whole in the copy", async () => {
  writer.commit({ 1: 1, 2: 1, 3: 1, 4: 1 }, 4);
  writer.checkpoint();
  writer.commit({ 1: 2, 2: 2, 3: 2 }, 3);
  writer.checkpoint(1);
  writer.tear(2);
  await copyDatabase(database, copy);
  expect(fillsOf(copy)).toEqual([2, 2, 2]);
});

test("without a write-ahead file the copy is the file", async () => {
  writer.commit({ 1: 1, 2: 1 }, 2);
  writer.checkpoint();
  rmSync(`${database}-wal`);
  await copyDatabase(database, copy);
  expect(readFileSync(copy)).toEqual(readFileSync(database));
});

test("another database in its place makes the copy begin again", async () => {
  writer.commit({ 1: 1 }, 1);
  writer.checkpoint();
  const other = path.join(folder, "other.db");
  writeFileSync(other, Buffer.alloc(512, 5));
  const [realCatchUp, calls] = [WriteAhead.prototype.catchUp, { n: 0 }];
  const spy = jest.spyOn(WriteAhead.prototype, "catchUp").mockImplementation(function (this: WriteAhead) {
    realCatchUp.call(this);
    if (++calls.n !== 1) return;
    rmSync(`${database}-wal`);
    renameSync(other, database);
  });
  await copyDatabase(database, copy);
  spy.mockRestore();
  expect(fillsOf(copy)).toEqual([5]);
});

test("what stops the copy ends it; it leaves nothing of its own but the copy", async () => {
  writer.commit({ 1: 1 }, 1);
  writer.checkpoint();
  await expect(copyDatabase(database, copy, AbortSignal.abort())).rejects.toThrow(/abort/i);
});

test("a copy of SQLite's own files has what was committed last", async () => {
  for (const name of ["whole.db", "whole.db-wal"]) copyFileSync(fixture(name), path.join(folder, name));
  await copyDatabase(path.join(folder, "whole.db"), copy);
  expect((await checkDatabase(fixture("whole.db"))).rows).toEqual(
    new Map([
      ["missions", 40],
      ["keys", 60],
    ]),
  );
  expect((await checkDatabase(copy)).rows).toEqual(
    new Map([
      ["missions", 41],
      ["keys", 51],
    ]),
  );
});

test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
  ["cut off", (bytes) => bytes.subarray(0, bytes.length - 512), /pages/],
  ["a page is of another moment", (bytes) => bytes.copyWithin(512 * 9, 512 * 12, 512 * 13), /page \d+/],
  ["a page is empty", (bytes) => bytes.fill(0, 512 * 5, 512 * 6), /page \d+/],
  ["an index lacks entries", withoutEntry, /has 39 entries, its table missions 40 rows/],
  ["it is no database", () => Buffer.from("hello"), /no SQLite database/],
])("a copy is refused: %s", async (_, change, said) => {
  writeFileSync(copy, change(readFileSync(fixture("whole.db"))));
  await expect(checkDatabase(copy)).rejects.toThrow(said);
});

/** Page 92 of the fixture is a leaf of the index of all names. */
function withoutEntry(bytes: Buffer): Buffer {
  const at = 91 * 512 + 3;
  bytes.writeUInt16BE(bytes.readUInt16BE(at) - 1, at);
  return bytes;
}

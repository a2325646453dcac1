import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { finishSwap, isSwapUnderWay, swapDatabase } from "../../src/server/database-swap";
import { temporaryFolder } from "../support/environment";

/** Another database in the place of the old one, where it is cut off after each of its steps. */

const { path: folder, remove } = temporaryFolder("database-swap");
afterAll(remove);
afterEach(() => jest.restoreAllMocks());

const OLD = { "temporal.db": "old", "temporal.db-wal": "old wal", "temporal.db-shm": "old shm" };
const SWAP = { work: "restore-x", kept: "temporal.db.before-now" };
const NEW = {
  "temporal.db": "new",
  "temporal.db-wal": "new wal",
  "temporal.db.before-now": "old",
  "temporal.db.before-now-wal": "old wal",
  "temporal.db.before-now-shm": "old shm",
};
const MOVES = [1, 2, 3, 4, 5];

let home: string;
beforeEach(() => {
  home = path.join(folder, "home");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(path.join(home, SWAP.work), { recursive: true });
  for (const [name, content] of Object.entries(OLD)) writeFileSync(path.join(home, name), content);
  writeFileSync(path.join(home, SWAP.work, "temporal.db"), "new");
  writeFileSync(path.join(home, SWAP.work, "temporal.db-wal"), "new wal");
});

const files = () =>
  Object.fromEntries(
    readdirSync(home)
      .filter((name) => name !== SWAP.work)
      .map((name) => [name, readFileSync(path.join(home, name), "utf8")]),
  );

/** Renames in the home fail from the nth on; `once`: only the nth. The first of all says what is under way. */
function failAt(nth: number, once: boolean): void {
  const rename = fs.renameSync;
  let n = -1;
  jest.spyOn(fs, "renameSync").mockImplementation((from, to) => {
    n += 1;
    if (once ? n === nth : n >= nth) throw new Error("EPERM: operation not permitted");
    rename(from, to);
  });
}

test("the new database is alone in its place, and all of the old one is kept", () => {
  swapDatabase(home, SWAP);
  expect(files()).toEqual(NEW);
});

test.each(MOVES)("cut off before move %i it is finished by the next start", (nth) => {
  failAt(nth, false);
  expect(() => swapDatabase(home, SWAP)).toThrow("EPERM");
  // The first move: nothing was changed. Later ones could not be taken back.
  expect(isSwapUnderWay(home)).toBe(nth > 1);
  if (nth === 1) return expect(files()).toEqual(OLD);
  // It is refused as long as it cannot be finished.
  expect(() => finishSwap(home, () => {})).toThrow(
    expect.objectContaining({ code: "local_server_failed", details: { path: home, kind: "restore" } }),
  );
  jest.restoreAllMocks();
  finishSwap(home, () => {});
  expect(files()).toEqual(NEW);
  expect(existsSync(path.join(home, SWAP.work))).toBe(false);
});

test.each(MOVES)("if only move %i fails, the others are taken back", (nth) => {
  failAt(nth, true);
  expect(() => swapDatabase(home, SWAP)).toThrow(
    expect.objectContaining({
      code: "local_server_failed",
      details: { path: home, kind: "restore" },
      hint: expect.stringContaining("Nothing was changed"),
    }),
  );
  expect(files()).toEqual(OLD);
});

test("a file of a start in between is not written over", () => {
  failAt(2, false);
  expect(() => swapDatabase(home, SWAP)).toThrow("EPERM");
  jest.restoreAllMocks();
  writeFileSync(path.join(home, "temporal.db"), "of another program");
  expect(() => finishSwap(home, () => {})).toThrow("is there already");
  expect(files()).toMatchObject({ "temporal.db": "of another program", "temporal.db.before-now": "old" });
});

import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { privateFolder, withPrivateRights } from "../../src/node/private-files";

const rights = (place: string) => (statSync(place).mode & 0o777).toString(8);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "navigator-private-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a home that others could read, and its files, are narrowed once, and the user is told once", () => {
  chmodSync(folder, 0o755);
  for (const file of ["temporal.db", "server.log"]) writeFileSync(path.join(folder, file), "", { mode: 0o644 });
  const told: string[] = [];
  const open = () => privateFolder(folder, ["temporal.db", "temporal.db-wal", "server.log"], (line) => told.push(line));
  open();
  expect([folder, path.join(folder, "temporal.db"), path.join(folder, "server.log")].map(rights)).toEqual([
    "700",
    "600",
    "600",
  ]);
  expect(told).toEqual([
    expect.stringMatching(/^Other users of this machine could read .*temporal\.db, .*server\.log/),
  ]);
  open();
  expect(told).toHaveLength(1);
});

test("a new home is private from its beginning, also below folders that are not there", () => {
  const home = path.join(folder, "a", ".navigator");
  privateFolder(home);
  expect(rights(home)).toBe("700");
});

test("files that a started program writes are private, and later ones of this process are as before", () => {
  const before = process.umask();
  const file = path.join(folder, "inside");
  withPrivateRights(() => writeFileSync(file, ""));
  expect(rights(file)).toBe("600");
  expect(process.umask()).toBe(before);
});

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { withFileLock } from "../../src/node/file-lock";
import { temporaryFolder } from "../support/environment";

const { path: folder, remove } = temporaryFolder("file-lock");
const lock = path.join(folder, "people.yaml.lock");
afterEach(() => expect(readdirSync(folder).filter((name) => name !== path.basename(lock))).toEqual([]));
afterAll(remove);

const held = (holder: unknown) => writeFileSync(lock, typeof holder === "string" ? holder : JSON.stringify(holder));
const goneProcess = () => spawnSync(process.execPath, ["--version"]).pid;

test("the file is there while the work is done, and not afterwards, whatever the work does", () => {
  expect(withFileLock(lock, 0, () => existsSync(lock))).toEqual({ done: true });
  expect(() =>
    withFileLock(lock, 0, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(existsSync(lock)).toBe(false);
});

test("while another process holds it, nothing is done", () => {
  held({ host: hostname(), pid: process.ppid });
  const work = jest.fn();
  expect(withFileLock(lock, 50, work)).toEqual({ held_by: `process ${process.ppid} on ${hostname()}` });
  expect(work).not.toHaveBeenCalled();
});

test("the lock of a process that is gone is taken over", () => {
  held({ host: hostname(), pid: goneProcess() });
  expect(withFileLock(lock, 0, () => 1)).toEqual({ done: 1 });
  expect(existsSync(lock)).toBe(false);
});

test.each<[string, () => unknown, string]>([
  ["of another machine", () => ({ host: "elsewhere", pid: goneProcess() }), "on elsewhere"],
  ["that cannot be read", () => "what?", "another process"],
])("a lock %s is left alone: nobody knows whether its owner is gone", (_, holder, said) => {
  held(holder());
  expect(withFileLock(lock, 0, () => 1)).toEqual({ held_by: expect.stringContaining(said) });
  expect(existsSync(lock)).toBe(true);
});

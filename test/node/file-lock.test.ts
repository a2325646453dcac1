import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { afterOthers, whileLocked, withFileLock } from "../../src/node/file-lock";
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
  expect(withFileLock(lock, 50, work)).toEqual({ locked_by: `process ${process.ppid} on ${hostname()}` });
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
  expect(withFileLock(lock, 0, () => 1)).toEqual({ locked_by: expect.stringContaining(said) });
  expect(existsSync(lock)).toBe(true);
});

test("work that waits for an answer holds its lock until it is over; of two in one process one waits", async () => {
  rmSync(lock, { force: true });
  const done: string[] = [];
  let answer = (_: string) => {};
  const first = whileLocked(lock, { wait_ms: 0, lasts_ms: 60_000 }, async () =>
    done.push(await new Promise<string>((resolve) => (answer = resolve))),
  );
  const second = whileLocked(lock, { wait_ms: 60_000, lasts_ms: 60_000 }, async () => done.push("second"));
  expect(await whileLocked(lock, { wait_ms: 0, lasts_ms: 60_000 }, async () => 1)).toEqual({
    locked_by: `process ${process.pid} on ${hostname()}`,
  });
  answer("first");
  await Promise.all([first, second]);
  expect(done).toEqual(["first", "second"]);
  await expect(whileLocked(lock, { wait_ms: 0, lasts_ms: 1 }, () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  expect(existsSync(lock)).toBe(false);
});

test.each<[string, () => unknown]>([
  ["of a process that is gone", () => ({ host: hostname(), pid: goneProcess() })],
  ["of another machine that is older than its work can last", () => ({ host: "elsewhere", pid: 1 })],
])("a lock %s is taken over; its owner does not take away the next one", async (_, holder) => {
  held(holder());
  utimesSync(lock, new Date(), new Date(Date.now() - 61_000));
  const work = async () => {
    const own = readFileSync(lock, "utf8");
    held({ host: "next", pid: 1 });
    return own;
  };
  expect(await whileLocked(lock, { wait_ms: 0, lasts_ms: 60_000 }, work)).toEqual({
    done: expect.stringContaining(`"pid":${process.pid}`),
  });
  expect(readFileSync(lock, "utf8")).toContain("next");
  rmSync(lock);
});

test("an empty lock is taken over once its owner must have written its name", () => {
  held("");
  expect(withFileLock(lock, 0, () => 1)).toEqual({ locked_by: "another process" });
  utimesSync(lock, new Date(), new Date(Date.now() - 6_000));
  expect(withFileLock(lock, 0, () => 1)).toEqual({ done: 1 });
  expect(existsSync(lock)).toBe(false);
});

test("a lock with our pid from before our start is of a process before us", () => {
  held({ host: hostname(), pid: process.pid });
  expect(withFileLock(lock, 0, () => 1)).toMatchObject({ locked_by: expect.any(String) });
  utimesSync(lock, new Date(), new Date(Date.now() - process.uptime() * 1_000 - 1_000));
  expect(withFileLock(lock, 0, () => 1)).toEqual({ done: 1 });
});

test("who waits for a process that lives says once for which, and which file it is; it can be told to stop", async () => {
  held({ host: hostname(), pid: process.ppid });
  const lines: string[] = [];
  const stop = new AbortController();
  const onWait = (line: string) => {
    lines.push(line);
    stop.abort();
  };
  const waiting = afterOthers(lock, { doing: "is starting the server", onWait, signal: stop.signal }, async () => 1);
  await expect(waiting).rejects.toThrow(/abort/i);
  expect(lines).toEqual([
    `Waiting: process ${process.ppid} on ${hostname()} is starting the server. If there is no such process any more, remove ${lock}.`,
  ]);
  held({ host: hostname(), pid: goneProcess() });
  expect(await afterOthers(lock, { doing: "is starting the server", onWait: fail }, async () => 1)).toBe(1);
});

const fail = () => {
  throw new Error("It waits for nobody.");
};

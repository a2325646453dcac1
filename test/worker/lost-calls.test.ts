import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beginLine, type CallUnderWay, endLine } from "../../src/worker/lost-work/calls-file";
import { findLostCalls, OpenCallsOfWorker } from "../../src/worker/lost-work/lost-work";

import { temporaryFolder } from "../support/environment";
import { BOOT, killedWorkerIn } from "./killed-worker";

const NAMESPACE = "0197";
const DAY_MS = 24 * 60 * 60 * 1_000;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("held");
});
afterEach(() => folder.remove());

const call = (n: number): CallUnderWay => ({
  workflow_id: `agent/${n}`,
  run_id: `r${n}`,
  activity: { id: "7", attempt: 1, token: "dG9rZW4=" },
  began: 1_000 + n,
});

const keep = async (growth_bytes?: number) => {
  const onTrouble = jest.fn();
  const held = await OpenCallsOfWorker.keptIn(folder.path, NAMESPACE, {
    onTrouble,
    ...(growth_bytes ? { growth_bytes } : {}),
  });
  if (held === null) throw new Error("these tests need Linux");
  return { held, onTrouble };
};

const found = async (now?: number) => {
  const { calls } = await findLostCalls(folder.path, NAMESPACE, now);
  return calls.map(({ workflow_id }) => workflow_id).sort();
};

/** What the file of a living worker says. */
const kept = () => {
  const [name = ""] = readdirSync(folder.path).filter((file) => file.endsWith(".calls"));
  return readFileSync(path.join(folder.path, name), "utf8");
};

const killedWorker = (text: string, header: { namespace_id?: string; boot?: string } = {}) =>
  killedWorkerIn(folder.path, text, { namespace_id: NAMESPACE, ...header });

test("the calls of a killed worker that had begun and not ended are lost, until somebody has given them back", async () => {
  const base = await killedWorker(beginLine(1, call(1)) + beginLine(2, call(2)) + endLine(1) + beginLine(3, call(3)));
  expect(await found()).toEqual(["agent/2", "agent/3"]);
  const lost = await findLostCalls(folder.path, NAMESPACE);
  expect(lost.calls).toEqual([call(2), call(3)]);
  await lost.forget();
  expect(await found()).toEqual([]);
  expect(existsSync(`${base}.calls`) || existsSync(`${base}.alive`)).toBe(false);
});

test.each([
  ["half a line at its end", `${beginLine(1, call(1))}{"begin":2,"call":{"workf`],
  ["a damaged line", `${beginLine(1, call(1))}\0\0\n{"begin":"x"}\nnull\n`],
  ["the end of a call that it does not name", `${beginLine(1, call(1))}${endLine(7)}`],
])("a file with %s tells the others", async (_, text) => {
  await killedWorker(text);
  expect(await found()).toEqual(["agent/1"]);
});

test("the calls of a worker that lives are not lost", async () => {
  const { held } = await keep();
  held.begin(call(1));
  expect(await found()).toEqual([]);
  expect(await found(Date.now() + 100 * DAY_MS)).toEqual([]);
  expect(kept()).toContain("agent/1");
});

test.each<[string, { namespace_id?: string; boot?: string }]>([
  ["of another server or namespace", { namespace_id: "other" }],
  ["of another machine, or before its last start", { boot: "other" }],
])("the calls of a worker %s are left alone, and removed when nobody asked for a week", async (_, header) => {
  const base = await killedWorker(beginLine(1, call(1)), header);
  expect(await found()).toEqual([]);
  expect(existsSync(`${base}.calls`)).toBe(true);
  await found(Date.now() + 8 * DAY_MS);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("a file without a whole first line is left alone: its worker is just beginning", async () => {
  const base = await killedWorker("");
  writeFileSync(`${base}.calls`, readFileSync(`${base}.calls`, "utf8").slice(0, 40));
  expect(await found()).toEqual([]);
  expect(existsSync(`${base}.calls`)).toBe(true);
});

test("other files of the folder are never removed, however old", async () => {
  for (const name of ["notes.txt", "a.calls", `${randomUUID()}.json`]) writeFileSync(path.join(folder.path, name), "");
  for (const name of readdirSync(folder.path)) utimesSync(path.join(folder.path, name), 0, 0);
  expect(await found()).toEqual([]);
  expect(readdirSync(folder.path)).toHaveLength(3);
});

test("there is nothing lost where no worker ran", async () => {
  expect((await findLostCalls(path.join(folder.path, "none"), NAMESPACE)).calls).toEqual([]);
});

test("hundreds of files are read", async () => {
  const base = await killedWorker(beginLine(1, call(1)));
  const text = readFileSync(`${base}.calls`, "utf8");
  for (let n = 0; n < 500; n++)
    writeFileSync(path.join(folder.path, `${randomUUID()}.calls`), text.replace(BOOT, "other"));
  expect(await found()).toEqual(["agent/1"]);
});

test("a call is in the file before it begins, and only this user can read it", async () => {
  const { held } = await keep();
  const number = held.begin(call(1));
  expect(kept().endsWith(beginLine(1, call(1)))).toBe(true);
  held.end(number);
  expect(kept().endsWith(endLine(1))).toBe(true);
  for (const name of readdirSync(folder.path).filter((file) => file.endsWith(".calls")))
    expect(statSync(path.join(folder.path, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
});

test("the file stays short, and has what is under way, however many calls were made meanwhile", async () => {
  const { held } = await keep(2_000);
  held.begin(call(0));
  for (let n = 1; n <= 300; n++) held.end(held.begin(call(n)));
  expect(kept().length).toBeLessThan(5_000);
  expect(kept()).toContain("agent/0");
  expect(kept()).toContain(endLine(301));
  expect(readdirSync(folder.path).filter((name) => name.endsWith(".new"))).toEqual([]);
});

test("a worker that ends takes its files with it, but not while a call goes on", async () => {
  const { held } = await keep();
  const number = held.begin(call(1));
  held.close();
  expect(kept()).toContain("agent/1");
  held.end(number);
  held.close();
  expect(readdirSync(folder.path)).toEqual([]);
});

test("several workers of one process have files of their own", async () => {
  const [one, other] = [await keep(), await keep()];
  one.held.begin(call(1));
  other.held.begin(call(2));
  expect(readdirSync(folder.path).filter((name) => name.endsWith(".calls"))).toHaveLength(2);
  one.held.end(1);
  one.held.close();
  expect(kept()).toContain("agent/2");
});

test("where the file cannot be written anew, calls go on without it, and somebody is told once", async () => {
  const { held, onTrouble } = await keep(500);
  const name = readdirSync(folder.path).find((file) => file.endsWith(".calls")) as string;
  // A folder stands where the new file would be.
  mkdirSync(path.join(folder.path, `${name}.new`));
  for (let n = 1; n <= 50; n++) held.end(held.begin(call(n)));
  expect(onTrouble).toHaveBeenCalledTimes(1);
  expect(kept().length).toBeLessThan(2_000);
});

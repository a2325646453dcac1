import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { StreamEntry } from "../../../src/core/history/stream/entry";
import { FileStreamStore } from "../../../src/node/streams/file-store";
import { PostgresStreamStore } from "../../../src/node/streams/postgres-store";
import type { StreamStore } from "../../../src/node/streams/stream-store";
import { type OwnPostgres, openPostgres } from "../../support/servers/postgres";
import { until } from "../../support/until";

const text = (said: string, attempt_id = "a"): StreamEntry => ({ type: "text", attempt_id, text: said });
const textsIn = (entries: readonly StreamEntry[]) => entries.map((entry) => (entry.type === "text" ? entry.text : ""));

let folder: string;
let postgres: OwnPostgres;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "navigator-streams-"));
  postgres = await openPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await postgres.remove();
});

describe.each([
  ["files", async (): Promise<StreamStore> => new FileStreamStore(path.join(folder, "streams"))],
  ["PostgreSQL", async (): Promise<StreamStore> => PostgresStreamStore.open(postgres.url)],
])("in %s", (where, open) => {
  let store: StreamStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  test("what was added is read from any offset, in parts", async () => {
    await store.append("ns/agent/1", [text("a"), text("b")]);
    await store.append("ns/agent/1", [text("c")]);
    await store.append("ns/agent/2", [text("other")]);
    const first = await store.read("ns/agent/1", 0, 2);
    expect(textsIn(first.entries)).toEqual(["a", "b"]);
    const second = await store.read("ns/agent/1", first.next);
    expect(textsIn(second.entries)).toEqual(["c"]);
    const third = await store.read("ns/agent/1", second.next);
    expect(third).toEqual({ entries: [], next: second.next });
  });

  test("a stream that does not exist is empty", async () => {
    expect(await store.read("ns/agent/none", 0)).toEqual({ entries: [], next: 0 });
  });

  test("any text comes back as it was: NUL, halves of a character, line ends, quotes, long ones", async () => {
    const texts = ["\u0000", "\ud83d", "\ude00", "a\nb\r\n", '"\\u0000"', "é😀", "x".repeat(300_000)];
    await store.append(
      "ns/odd",
      texts.map((said) => text(said)),
    );
    expect(textsIn((await store.read("ns/odd", 0)).entries)).toEqual(texts);
  });

  test("several writers at a time lose nothing, and each one's order stays", async () => {
    const writers = ["w0", "w1", "w2", "w3"];
    const others = await Promise.all(writers.map(open));
    await Promise.all(
      others.map(async (other, w) => {
        for (let n = 0; n < 50; n++) await other.append("ns/crowd", [text(`${n}`, writers[w]), text("-", writers[w])]);
      }),
    );
    const seen: StreamEntry[] = [];
    for (let at = 0, more = true; more; ) {
      const { entries, next } = await store.read("ns/crowd", at, 37);
      seen.push(...entries);
      more = entries.length > 0;
      at = next;
    }
    for (const writer of writers)
      expect(textsIn(seen.filter(({ attempt_id }) => attempt_id === writer)).filter((said) => said !== "-")).toEqual(
        Array.from({ length: 50 }, (_, n) => `${n}`),
      );
    await Promise.all(others.map((other) => other.close()));
  });

  test("who waits for more hears of it, and is not kept when it gives up", async () => {
    const { next } = await store.read("ns/waited", 0);
    const waiting = store.more("ns/waited", next, new AbortController().signal);
    await store.append("ns/waited", [text("now")]);
    await waiting;
    expect(textsIn((await store.read("ns/waited", next)).entries)).toEqual(["now"]);
    const tired = new AbortController();
    const given = store.more("ns/silent", 0, tired.signal);
    tired.abort();
    await given;
  });

  test(`old streams are removed from ${where}`, async () => {
    await store.append("ns/old", [text("x")]);
    expect(await store.prune(Date.now() - 3_600_000)).toBe(0);
    expect(await store.prune(Date.now() + 3_600_000)).toBeGreaterThan(0);
    expect((await store.read("ns/old", 0)).entries).toEqual([]);
  });

  test(`a stream in ${where} to which something was added stays whole`, async () => {
    await store.append("ns/over", [text("x")]);
    await store.append("ns/goes-on", [text("first")]);
    // The clock of a file system goes in steps.
    await delay(30);
    const cut = Date.now();
    await delay(30);
    await store.append("ns/goes-on", [text("last")]);
    expect(await store.prune(cut)).toBeGreaterThan(0);
    expect((await store.read("ns/over", 0)).entries).toEqual([]);
    expect(textsIn((await store.read("ns/goes-on", 0)).entries)).toEqual(["first", "last"]);
  });
});

test("a line that a killed writer has left does not hide those of the next one", async () => {
  const own = path.join(folder, "killed");
  const store = new FileStreamStore(own);
  await store.append("s", [text("before")]);
  const [name] = readdirSync(own);
  appendFileSync(path.join(own, name as string), '\n{"type":"text","attempt_id":"a","te');
  const before = await store.read("s", 0);
  expect(textsIn(before.entries)).toEqual(["before"]);
  const waiting = new AbortController();
  const looks = jest.spyOn(store as unknown as { hasMore(): Promise<boolean> }, "hasMore");
  const more = store.more("s", before.next, waiting.signal).then(() => "more");
  // It waits for somebody who goes on writing, instead of reading the same again and again.
  await until(async () => looks.mock.results.length > 2, "it has looked, and looks again");
  for (const { value } of looks.mock.results) expect(await value).toBe(false);
  await store.append("s", [text("after")]);
  expect(await more).toBe("more");
  expect(textsIn((await store.read("s", before.next)).entries)).toEqual(["after"]);
});

test("files are for their user alone", async () => {
  const own = path.join(folder, "private");
  const store = new FileStreamStore(own);
  await store.append("agent/1", [text("secret")]);
  const files = readdirSync(own).map((name) => path.join(own, name));
  expect([own, ...files].map((file) => statSync(file).mode & 0o077)).toEqual([0, 0]);
  utimesSync(files[0] as string, 1, 1);
  expect(await store.prune(2_000)).toBe(1);
});

test("a reader of a stream that was removed reads what is said in it later", async () => {
  const store = new FileStreamStore(path.join(folder, "removed"));
  await store.append("s", [text("long ago, and a long text")]);
  const { next } = await store.read("s", 0);
  expect(await store.prune(Date.now() + 1_000)).toBe(1);
  await store.append("s", [text("new")]);
  await store.more("s", next, new AbortController().signal);
  expect(textsIn((await store.read("s", next)).entries)).toEqual(["new"]);
});

test("a database that cannot be used is told without its password", async () => {
  const refused = PostgresStreamStore.open("postgres://someone:s3cret@127.0.0.1:1/db");
  await expect(refused).rejects.toMatchObject({
    code: "service_unavailable",
    details: { path: "NAVIGATOR_STREAMS_URL" },
  });
  await expect(refused).rejects.not.toThrow("s3cret");
});

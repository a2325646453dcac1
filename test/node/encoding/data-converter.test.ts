import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ApplicationFailure, defaultPayloadConverter, type Payload } from "@temporalio/common";
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
  encodeErrorToFailure,
  encodeToPayloads,
  loadDataConverter,
} from "@temporalio/common/lib/internal-non-workflow";
import { StreamEntry } from "../../../src/core/history/stream/entry";
import { keyIdOf } from "../../../src/node/encoding/aes-gcm";
import { createKey, importKeys, retireKey, rotateKey, useKey } from "../../../src/node/encoding/change-keys";
import { createDataConverter } from "../../../src/node/encoding/data-converter";
import {
  type KeyFile,
  keyFileOf,
  msUntilSeen,
  newKey,
  readKeyFile,
  writeKeyFile,
} from "../../../src/node/encoding/encryption-keys";
import { unreadableError } from "../../../src/node/encoding/unreadable-payload";
import { entryForm } from "../../../src/node/streams/entry-form";
import { encodingOfFolder } from "../../../src/project/encoding";

/** The data converter of a project: what it encrypts, what it refuses to read, and how it says so. */

const SECRET = "the patient is called Ada";
let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "navigator-encoding-"));
  env = { NAVIGATOR_PROJECT: "shop", NAVIGATOR_IDENTITY: path.join(home, "identity") };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const keyFile = () => keyFileOf(env.NAVIGATOR_IDENTITY as string, "shop");
const withKeys = (...ids: string[]) => {
  const keys = ids.map((id) => newKey("shop", id));
  writeKeyFile(keyFile(), { newest: ids.at(-1) ?? null, keys, retired: [] }, true);
  return keys;
};
const project = (config = "{}", of = env) => {
  const folder = mkdtempSync(path.join(home, "project-"));
  writeFileSync(path.join(folder, "navigator.config.json"), config);
  return encodingOfFolder(of, folder);
};
const converterOf = async (config?: string) => loadDataConverter((await project(config)).dataConverter);
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString() + seen(value);
/** All bytes of a value as text, those of its payloads too. */
function seen(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return typeof value === "object" && value !== null ? Object.values(value).map(seen).join(" ") : String(value);
}
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => unreadableError(error) ?? error,
  );

test("who has keys encrypts: the payload shows the key's id and nothing else, and comes back whole", async () => {
  withKeys("first");
  const converter = await converterOf();
  const payloads = (await encodeToPayloads(converter, { note: SECRET }, null, undefined)) as Payload[];
  expect(payloads.map(keyIdOf)).toEqual(["first", "first", "first"]);
  expect(bytesOf(payloads)).not.toContain("Ada");
  expect(await decodeArrayFromPayloads(converter, payloads)).toEqual([{ note: SECRET }, null, undefined]);
  const [again] = (await encodeToPayloads(converter, { note: SECRET })) as Payload[];
  expect(again?.data).not.toEqual(payloads[0]?.data);
});

test("messages and stack traces of failures are encrypted, through every cause, also when they are passed on", async () => {
  withKeys("first");
  const converter = await converterOf();
  const cause = ApplicationFailure.create({
    message: `cause: ${SECRET}`,
    type: "tool_error",
    details: [{ note: SECRET }],
  });
  const failure = await encodeErrorToFailure(converter, ApplicationFailure.create({ message: SECRET, cause }));
  expect(bytesOf(failure)).not.toContain("Ada");
  const read = (await decodeOptionalFailureToOptionalError(converter, failure)) as ApplicationFailure;
  expect(read).toMatchObject({ message: SECRET, cause: { message: `cause: ${SECRET}`, details: [{ note: SECRET }] } });
  expect(read.stack).toContain("data-converter.test");
  const passedOn = await encodeErrorToFailure(converter, read);
  expect(bytesOf(passedOn)).not.toContain("Ada");
  expect(await decodeOptionalFailureToOptionalError(converter, passedOn)).toMatchObject({
    message: SECRET,
    cause: { message: `cause: ${SECRET}` },
  });
});

test("new payloads use the newest key, old ones stay readable, and a running process sees a rotation", async () => {
  const [first] = withKeys("first");
  const converter = await converterOf();
  const [old] = (await encodeToPayloads(converter, SECRET)) as Payload[];
  const second = newKey("shop", "second");
  writeKeyFile(keyFile(), { newest: "second", keys: [first as never, second], retired: [] }, false);
  const other = await converterOf();
  const [fresh] = (await encodeToPayloads(other, SECRET)) as Payload[];
  expect([old, fresh].map((payload) => keyIdOf(payload as Payload))).toEqual(["first", "second"]);
  expect(await decodeArrayFromPayloads(converter, [old, fresh] as Payload[])).toEqual([SECRET, SECRET]);
});

test.each([
  {
    what: "the key is missing",
    id: "other",
    code: "encryption_key_missing",
    said: /encrypted with key other, which this process does not have/,
  },
  {
    what: "the key has another value",
    id: "first",
    code: "payload_tampered",
    said: /key first, and the key of this id in .* does not open it/,
  },
])("if $what, the error names the key and says where it was looked for", async ({ id, code, said }) => {
  const elsewhere = mkdtempSync(path.join(home, "elsewhere-"));
  const theirs = { ...env, NAVIGATOR_IDENTITY: elsewhere };
  writeKeyFile(keyFileOf(elsewhere, "shop"), { newest: id, keys: [newKey("shop", id)], retired: [] }, true);
  const payloads = await encodeToPayloads(loadDataConverter((await project("{}", theirs)).dataConverter), SECRET);
  withKeys("first");
  const error = await errorOf(decodeArrayFromPayloads(await converterOf(), payloads));
  expect(error).toMatchObject({ code, message: expect.stringMatching(said), details: { name: id } });
});

test.each([
  [
    "a byte of the data",
    ({ data, ...rest }: Payload) => ({
      ...rest,
      data: Buffer.from(data ?? []).map((byte, i) => (i === 20 ? byte ^ 1 : byte)),
    }),
  ],
  [
    "the key's id",
    ({ metadata, data }: Payload) => ({ data, metadata: { ...metadata, "encryption-key-id": Buffer.from("first") } }),
  ],
  ["its end", ({ data, ...rest }: Payload) => ({ ...rest, data: Buffer.from(data ?? []).subarray(0, -1) })],
  [
    "everything but a few bytes",
    ({ data, ...rest }: Payload) => ({ ...rest, data: Buffer.from(data ?? []).subarray(0, 5) }),
  ],
])("a payload with %s changed is not read", async (_what, change) => {
  withKeys("first", "second");
  const converter = await converterOf('{"codec": "aes-gcm"}');
  const [payload] = (await encodeToPayloads(converter, SECRET)) as Payload[];
  expect(await errorOf(decodeArrayFromPayloads(converter, [change(payload as Payload)]))).toMatchObject({
    code: "payload_tampered",
  });
});

test("a process without keys reads what is in the clear, and says of all else that it cannot", async () => {
  const bare = await converterOf();
  const clear = defaultPayloadConverter.toPayload("hello") as Payload;
  expect(await decodeArrayFromPayloads(bare, [clear])).toEqual(["hello"]);
  const foreign = { metadata: { encoding: Buffer.from("binary/zip") }, data: Buffer.from("x") };
  expect(await errorOf(decodeArrayFromPayloads(bare, [foreign]))).toMatchObject({
    code: "payload_unreadable",
    message: expect.stringContaining("binary/zip"),
  });
  withKeys("first");
  const payloads = await encodeToPayloads(await converterOf(), SECRET);
  rmSync(keyFile());
  const error = await errorOf(decodeArrayFromPayloads(await converterOf(), payloads));
  expect(error).toMatchObject({ code: "encryption_key_missing", message: expect.stringContaining("key first") });
});

test("a process that started before the keys came warns once that it writes in the clear, unless the project says so", async () => {
  const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
  try {
    const early = await converterOf();
    const asked = await converterOf('{"codec": "none"}');
    withKeys("first");
    const payloads = await encodeToPayloads(await converterOf(), SECRET);
    for (const converter of [early, early, asked])
      expect(await decodeArrayFromPayloads(converter, payloads)).toEqual([SECRET]);
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/in the clear.*key first/)]);
  } finally {
    warn.mockRestore();
  }
});

test('with codec: "aes-gcm" and no key nothing is written, and nobody starts to work', async () => {
  const encoding = await project('{"codec": "aes-gcm"}');
  expect(() => encoding.checkWritable()).toThrow(expect.objectContaining({ code: "encryption_key_missing" }));
  await expect(encodeToPayloads(loadDataConverter(encoding.dataConverter), SECRET)).rejects.toMatchObject({
    code: "encryption_key_missing",
  });
});

test("a codec of one's own is a module, alone or in a list, and keys of the built-in one are still read", async () => {
  withKeys("first");
  const old = await encodeToPayloads(await converterOf(), SECRET);
  const folder = mkdtempSync(path.join(home, "own-"));
  writeFileSync(
    path.join(folder, "reverse.cjs"),
    `const reverse = async (payloads) => payloads.map(({ metadata, data }) => ({ metadata, data: Uint8Array.from(data).reverse() }));
     module.exports = { encode: reverse, decode: async (payloads) => payloads[0]?.metadata["encryption-key-id"] ? payloads : reverse(payloads) };`,
  );
  writeFileSync(path.join(folder, "navigator.config.json"), '{"codec": ["./reverse.cjs"]}');
  const { dataConverter, codecs } = await encodingOfFolder(env, folder);
  expect(codecs).toEqual(["./reverse.cjs"]);
  const converter = loadDataConverter(dataConverter);
  const [payload] = (await encodeToPayloads(converter, SECRET)) as Payload[];
  expect(Buffer.from(payload?.data ?? []).toString()).toBe(`"${[...SECRET].reverse().join("")}"`);
  expect(await decodeArrayFromPayloads(converter, [payload as Payload])).toEqual([SECRET]);
  expect(await decodeArrayFromPayloads(converter, old)).toEqual([SECRET]);

  writeFileSync(path.join(folder, "bad.cjs"), "module.exports = { encode: 1 };");
  writeFileSync(path.join(folder, "navigator.config.json"), '{"codec": "./bad.cjs"}');
  await expect(encodingOfFolder(env, folder)).rejects.toMatchObject({
    code: "bad_project",
    message: expect.stringContaining("exports no codec"),
  });
  await expect(project('{"codec": 3}')).rejects.toMatchObject({
    message: expect.stringContaining('must be "aes-gcm", "none", the path of a module'),
  });
});

test("a guard sees payloads before they are encoded", async () => {
  withKeys("first");
  const { dataConverter } = await project();
  const texts: string[] = [];
  const payloadGuard = {
    encode: async (payloads: Payload[]) => {
      texts.push(...payloads.map(({ data }) => Buffer.from(data ?? []).toString()));
      return payloads;
    },
    decode: async (payloads: Payload[]) => payloads,
  };
  const guarded = createDataConverter({ codecs: dataConverter.payloadCodecs ?? [], payloadGuard });
  await encodeToPayloads(loadDataConverter(guarded), "seen");
  expect(texts).toEqual(['"seen"']);
});

describe("the key file", () => {
  test("is private, and one that others can read is refused", async () => {
    withKeys("first");
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(keyFile())).mode & 0o777).toBe(0o700);
    rmSync(keyFile());
    writeFileSync(keyFile(), JSON.stringify({ newest: "a", keys: [newKey("shop", "a")] }), { mode: 0o644 });
    await expect(project()).rejects.toMatchObject({ code: "invalid_input", details: { path: keyFile() } });
  });

  test("with a mistake says where, and never shows a key", async () => {
    mkdirSync(path.dirname(keyFile()), { recursive: true });
    const { secret } = newKey("shop", "a");
    writeFileSync(
      keyFile(),
      JSON.stringify({ newest: "a", keys: [{ id: "a", secret: `${secret}x`, created_at: "" }] }),
      {
        mode: 0o600,
      },
    );
    const error = (await project().catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining("keys.0.secret") });
    expect(error.message).not.toContain(secret);
  });

  test("may be a text or a path in NAVIGATOR_ENCRYPTION_KEYS", async () => {
    const keys = [newKey("shop", "given")];
    env.NAVIGATOR_ENCRYPTION_KEYS = JSON.stringify({ newest: "given", keys });
    expect((await project()).keys.newest()?.id).toBe("given");
    env.NAVIGATOR_ENCRYPTION_KEYS = path.join(home, "mounted.json");
    await expect(project()).rejects.toMatchObject({
      code: "not_found",
      details: { path: env.NAVIGATOR_ENCRYPTION_KEYS, kind: "file" },
    });
    writeFileSync(env.NAVIGATOR_ENCRYPTION_KEYS, JSON.stringify({ newest: "given", keys }), { mode: 0o440 });
    expect((await project()).keys.newest()?.id).toBe("given");
  });
});

describe("the keys of a project", () => {
  const place = () => ({ file: keyFile(), prefix: "shop" });
  const ids = (content: KeyFile) => [content.newest, ...content.keys.map(({ id }) => id)];

  test("the first one encrypts, a second one stands by until it is used, and the one that encrypts is not removed", () => {
    expect(createKey(place()).made).toMatch(/^shop-\d{4}-\d\d-\d\d-[0-9a-f]{6}$/);
    const first = readKeyFile(keyFile()).newest as string;
    expect(ids(createKey(place(), "b").content)).toEqual([first, first, "b"]);
    expect(ids(useKey(place(), "b"))).toEqual(["b", first, "b"]);
    expect(() => retireKey(place(), "b")).toThrow(expect.objectContaining({ code: "still_running" }));
    const { keys, retired } = retireKey(place(), first);
    expect([keys.map(({ id }) => id), retired.map(({ id }) => id)]).toEqual([["b"], [first]]);
    // An id stands for one key, also when that key is gone.
    expect(() => createKey(place(), first)).toThrow(
      expect.objectContaining({ code: "already_exists", details: { path: first, kind: "key" } }),
    );
    expect(() => useKey(place(), "c")).toThrow(expect.objectContaining({ hint: "There are: b" }));
    expect(() => createKey(place(), "no id")).toThrow(
      expect.objectContaining({ code: "invalid_input", details: { path: "id" } }),
    );
  });

  test("a rotation follows a key: without one it makes none, so that a lost file is not covered up", () => {
    const place = { file: keyFile(), prefix: "shop" };
    expect(() => rotateKey(place)).toThrow(
      expect.objectContaining({ code: "encryption_key_missing", hint: expect.stringContaining("keys import FILE") }),
    );
    expect(readKeyFile(place.file).keys).toEqual([]);
  });

  test("keys of another machine are added, and a different key of the same id changes nothing", () => {
    withKeys("a");
    const later = (id: string) => ({ ...newKey("shop", id), created_at: "2999-01-01T00:00:00.000Z" });
    const given = { newest: "b", keys: [later("b")], retired: [{ id: "z", retired_at: "2026-01-01T00:00:00.000Z" }] };
    expect(ids(importKeys(place(), given))).toEqual(["b", "a", "b"]);
    const other = { newest: "a", keys: [newKey("shop", "a")], retired: [] };
    expect(() => importKeys(place(), other)).toThrow(
      expect.objectContaining({ code: "invalid_input", details: expect.objectContaining({ path: "a" }) }),
    );
    expect(ids(readKeyFile(keyFile()))).toEqual(["b", "a", "b"]);
    // What was retired there cannot be made here again.
    expect(() => createKey(place(), "z")).toThrow(
      expect.objectContaining({ code: "already_exists", details: { path: "z", kind: "key" } }),
    );
  });

  test("a key that was just replaced is not searched for before every process has seen that", () => {
    expect(msUntilSeen(keyFile())).toBe(0);
    withKeys("a");
    const { mtimeMs } = statSync(keyFile());
    expect(msUntilSeen(keyFile(), mtimeMs)).toBeGreaterThan(1_000);
    expect(msUntilSeen(keyFile(), mtimeMs + 60_000)).toBe(0);
  });

  test("an old export brings no retired key back, and does not make an older key encrypt", () => {
    const made = (id: string, day: string) => ({ ...newKey("shop", id), created_at: `2026-01-0${day}T00:00:00.000Z` });
    const [a, b] = [made("a", "1"), made("b", "2")];
    const old = { newest: "a", keys: [a], retired: [] };
    writeKeyFile(keyFile(), { newest: "b", keys: [a, b], retired: [] }, true);
    expect(importKeys(place(), old).newest).toBe("b");
    expect(importKeys(place(), old, { use: true }).newest).toBe("a");
    useKey(place(), "b");
    retireKey(place(), "a");
    expect(() => importKeys(place(), old)).toThrow(/a is retired here/);
    expect(ids(readKeyFile(keyFile()))).toEqual(["b", "b"]);
  });
});

test("entries of a stream are encrypted, read again, and refused to whoever lacks the key", async () => {
  const entry = StreamEntry.parse({ type: "text", attempt_id: "1", text: SECRET });
  const clear = entryForm(await project());
  const [plain = ""] = await clear.write([entry]);
  withKeys("first");
  const form = entryForm(await project());
  const [text = ""] = await form.write([entry]);
  expect(text).toContain("payload");
  expect(Buffer.from(JSON.parse(text).payload.data, "base64").toString("latin1")).not.toContain("Ada");
  expect([await form.read(text), await form.read(plain), await form.read("")]).toEqual([entry, entry, null]);
  await expect(clear.read(text)).resolves.toEqual(entry);
  rmSync(keyFile());
  await expect(entryForm(await project()).read(text)).rejects.toMatchObject({ code: "encryption_key_missing" });
});

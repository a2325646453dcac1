import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DataConverter, Payload } from "@temporalio/common";
import {
  encodeToPayload,
  extstoreInboundOptions,
  extstoreStoreOptions,
  loadDataConverter,
  visit,
  walkActivityTaskCompletion,
} from "@temporalio/common/lib/internal-non-workflow";
import { keyFileOf, newKey, writeKeyFile } from "../../../src/node/encoding/encryption-keys";
import { S3Store } from "../../../src/node/encoding/storage/s3-store";
import { documentsOf } from "../../../src/node/encoding/storage/stored-documents";
import { unreadableError } from "../../../src/node/encoding/unreadable-payload";
import { knownSecrets } from "../../../src/node/secrets/known-secrets";
import { encodingOfFolder } from "../../../src/project/encoding";
import { startS3 } from "../../support/servers/s3-server";

/** Payloads and documents outside of the server: in a folder, and in S3. */

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "navigator-payloads-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const project = async (largePayloads: object, encrypted = false): Promise<DataConverter> => {
  const identity = path.join(home, "identity");
  if (encrypted)
    writeKeyFile(keyFileOf(identity, "shop"), { newest: "k1", keys: [newKey("shop", "k1")], retired: [] }, true);
  writeFileSync(path.join(home, "navigator.config.json"), JSON.stringify({ largePayloads }));
  return (await encodingOfFolder({ NAVIGATOR_PROJECT: "shop", NAVIGATOR_IDENTITY: identity }, home)).dataConverter;
};
/** A payload as a worker sends it, and what becomes of it when it is read. */
const sent = async (converter: DataConverter, value: unknown) => {
  const loaded = loadDataConverter(converter);
  const completion = { result: { completed: { result: await encodeToPayload(loaded, value) } } };
  await visit(completion, walkActivityTaskCompletion, extstoreStoreOptions(loaded.externalStorage as never));
  const wire = completion.result.completed.result as Payload;
  const read = async () => {
    await visit(completion, walkActivityTaskCompletion, extstoreInboundOptions(loaded.externalStorage));
    let payloads = [completion.result.completed.result as Payload];
    for (const codec of [...loaded.payloadCodecs].reverse()) payloads = await codec.decode(payloads);
    return loaded.payloadConverter.fromPayload(payloads[0] as Payload);
  };
  return { wire, read };
};
const files = () =>
  readdirSync(path.join(home, "payloads"), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(home, "payloads", name))
    .filter((file) => statSync(file).isFile());
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error: { code?: string }) => unreadableError(error)?.code ?? error.code,
  );
const LARGE = { note: "the patient is called Ada ".repeat(2_000) };

test("a large payload is in the folder, once, and comes back; a small one stays on the wire", async () => {
  const converter = await project({ folder: "./payloads", over: "10 KB" });
  const { wire, read } = await sent(converter, LARGE);
  expect(wire.data?.length).toBeLessThan(300);
  expect(await read()).toEqual(LARGE);
  // Used again it counts as new: whoever deletes what is old must not delete it.
  utimesSync(files()[0] as string, new Date(0), new Date(0));
  await sent(converter, LARGE);
  expect(files()).toHaveLength(1);
  expect(statSync(files()[0] as string).mtimeMs).toBeGreaterThan(Date.now() - 3_600_000);
  expect(statSync(files()[0] as string).mode & 0o077).toBe(0);
  expect(Buffer.from((await sent(converter, "small")).wire.data as Uint8Array).toString()).toBe('"small"');
});

test("what is in the folder is encrypted where the project encrypts", async () => {
  const { read } = await sent(await project({ folder: "payloads", over: 10_000 }, true), LARGE);
  expect(readFileSync(files()[0] as string, "latin1")).not.toContain("Ada");
  expect(await read()).toEqual(LARGE);
});

test("a blob that was changed, or is gone, is told as such, with its key", async () => {
  const { read } = await sent(await project({ folder: "payloads" }), { note: "x".repeat(300_000) });
  const file = files()[0] as string;
  chmodSync(file, 0o600);
  writeFileSync(file, "something else");
  expect(await codeOf(read())).toBe("payload_tampered");
  rmSync(file);
  const error = unreadableError(await read().catch((error: unknown) => error));
  expect(error).toMatchObject({ code: "payload_unreadable" });
  expect(error?.message).toContain(path.basename(file));
});

test("in S3 it is the same, through the client of AWS; an object that is not there is told", async () => {
  const s3 = await startS3();
  const before = { ...process.env };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "not-a-secret" });
  try {
    const bucket = { bucket: "shop", prefix: "p/", region: "eu-central-1", endpoint: s3.url, forcePathStyle: true };
    const { read } = await sent(await project({ s3: bucket, over: "10 KB" }), LARGE);
    expect([...s3.objects.keys()]).toEqual([expect.stringMatching(/^\/shop\/p\/[0-9a-f]{64}$/)]);
    expect(await read()).toEqual(LARGE);
    const again = await sent(await project({ s3: bucket, over: "10 KB" }), LARGE);
    s3.objects.clear();
    expect(await codeOf(again.read())).toBe("payload_unreadable");
    s3.mayList = false;
    const denied = unreadableError(await again.read().catch((error: unknown) => error));
    expect(denied).toMatchObject({ code: "payload_unreadable", message: expect.stringContaining("s3:GetObject") });
    // Nor does it keep irreversible calls waiting.
    await documentsOf(await project({ s3: bucket }))?.reachable();
  } finally {
    process.env = before;
    await s3.close();
  }
});

test("without the package of AWS the setting is refused at once, with what to install", () => {
  const find = (name: string) => {
    throw new Error(`Cannot find module '${name}'`);
  };
  expect(() => new S3Store({ bucket: "shop" }, find)).toThrow(
    expect.objectContaining({ code: "bad_project", hint: expect.stringContaining("npm install @aws-sdk/client-s3") }),
  );
});

test("a document is written as it comes and read in pieces: no more than one piece is held", async () => {
  const documents = documentsOf(await project({ folder: "payloads" }, true));
  const part = Buffer.alloc(1024 * 1024, "0123456789abcdef");
  let given = 0;
  let ahead = 0;
  async function* content() {
    for (; given < 21; given++) {
      // Four parts are a piece; what is before them must be in the folder.
      ahead = Math.max(ahead, given - 4 * files().length);
      yield part;
    }
  }
  await sent(await project({ folder: "payloads", over: 1_000 }), "x".repeat(2_000));
  const before = files().length;
  const kept = await documents?.write(content(), { media_type: "text/plain" });
  expect(ahead).toBeLessThanOrEqual(4);
  expect(kept).toMatchObject({ bytes: 21 * part.length, start: part.toString().slice(0, 1_000) });
  const hash = createHash("sha256");
  let largest = 0;
  for await (const piece of documents?.stream(kept as never) ?? []) {
    hash.update(piece);
    largest = Math.max(largest, piece.length);
  }
  expect(hash.digest("hex")).toBe(kept?.sha256);
  expect(largest).toBe(4 * part.length);
  // Ciphertexts differ, also of equal pieces.
  expect(files().length - before).toBe(7);
});

test("a document has no secrets, and what is no document is refused", async () => {
  knownSecrets.add("DOC_KEY", "doc-key-12345678");
  const documents = documentsOf(await project({ folder: "payloads" }));
  const kept = await documents?.write("a doc-key-12345678 b");
  expect(Buffer.from((await documents?.read(kept as never)) ?? []).toString()).toBe("a [secret DOC_KEY] b");
  expect(kept?.start).toBe("a [secret DOC_KEY] b");
  // Other documents keep their length: what is in them stays where it was.
  const file = await documents?.write(Buffer.from("PNG doc-key-12345678 end"));
  expect(Buffer.from((await documents?.read(file as never)) ?? []).toString()).toBe("PNG [secret DOC_KEY] end");
  const longer = await documents?.write(Buffer.from(`PNG ${Buffer.from("doc-key-12345678").toString("hex")} end`));
  expect(longer?.bytes).toBe(40);
  expect(await codeOf(documents?.read("../../etc/passwd") as never)).toBe("invalid_input");
});

test.each([{ folder: "" }, { folder: "x", s3: { bucket: "y" } }, { over: "256", folder: "x" }, { s3: {} }])(
  "the setting %j is refused",
  async (setting) => {
    await expect(project(setting)).rejects.toMatchObject({
      code: "bad_project",
      message: expect.stringContaining("largePayloads"),
    });
  },
);

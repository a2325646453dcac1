import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { payloadToJSON } from "@temporalio/common/lib/proto-utils";
import { aesGcmCodec } from "../../../src/node/encoding/aes-gcm";
import { createDataConverter } from "../../../src/node/encoding/data-converter";
import {
  type EncryptionKeys,
  keyFileOf,
  newKey,
  openKeys,
  writeKeyFile,
} from "../../../src/node/encoding/encryption-keys";
import { SecretGuard } from "../../../src/node/encoding/secret-guard";
import { KnownSecrets } from "../../../src/node/secrets/known-secrets";
import { codecEndpoints } from "../../../src/web/routes/codec";

/** What Temporal's own tools get of the remote codec; test/server/encryption.test.ts asks it over HTTP. */

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "navigator-codec-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const keysOf = (id: string): EncryptionKeys => {
  const file = keyFileOf(home, id);
  writeKeyFile(file, { newest: id, keys: [newKey("shop", id)], retired: [] }, true);
  return openKeys({ file, setting: null });
};

/** Asks a way of the endpoint of a server with these keys. */
function asked(way: "decode" | "encode", keys: EncryptionKeys, payloads: Payload[], secrets = new KnownSecrets()) {
  const dataConverter = createDataConverter({
    codecs: [aesGcmCodec(keys)],
    payloadGuard: new SecretGuard(secrets, "refuse"),
  });
  const endpoint = codecEndpoints.find(({ path }) => path.endsWith(way));
  const call = {
    client: { temporal: { options: { namespace: "default" } } },
    request: { req: { header: () => undefined } },
    web: { project: { encoding: { dataConverter } } },
  };
  return endpoint?.run({ params: {}, query: {}, body: { payloads: payloads.map(payloadToJSON) }, call } as never);
}

test("a payload that cannot be read comes back as it was, and the others are read", async () => {
  const [own, gone] = [keysOf("own"), keysOf("gone")];
  const clear = defaultPayloadConverter.toPayload("hello") as Payload;
  const [mine] = (await aesGcmCodec(own).encode([clear])) as [Payload];
  const [lost] = (await aesGcmCodec(gone).encode([clear])) as [Payload];
  const zip = { metadata: { encoding: Buffer.from("binary/zip") }, data: Buffer.from("x") };
  const [a, b] = [payloadToJSON(clear), payloadToJSON(lost)];
  expect(await asked("decode", own, [lost, mine, zip, clear])).toEqual({ payloads: [b, a, payloadToJSON(zip), a] });
  // Who can read nothing is told which key is missing.
  await expect(asked("decode", own, [lost])).rejects.toMatchObject({
    code: "encryption_key_missing",
    message: expect.stringContaining("key gone"),
  });
});

test("who has the server encode a value is not told which secret it is", async () => {
  const secrets = new KnownSecrets();
  secrets.add("STRIPE_TOKEN", "sk_live_42abcdef");
  const payload = defaultPayloadConverter.toPayload("sk_live_42abcdef") as Payload;
  const error = await asked("encode", keysOf("own"), [payload], secrets)?.catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "secret_in_input" });
  expect(`${(error as unknown as Error).message} ${JSON.stringify(error)}`).not.toContain("STRIPE");
});

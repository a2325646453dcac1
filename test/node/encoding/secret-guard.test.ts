import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Payload } from "@temporalio/common";
import {
  decodeArrayFromPayloads,
  encodeToPayloads,
  loadDataConverter,
} from "@temporalio/common/lib/internal-non-workflow";
import { temporal } from "@temporalio/proto";
import { maskingSecrets, SecretGuard } from "../../../src/node/encoding/secret-guard";
import { KnownSecrets } from "../../../src/node/secrets/known-secrets";
import { encodingOfFolder } from "../../../src/project/encoding";

/** The guard of the data converter: clients are refused, workers mask. */

const secrets = new KnownSecrets();
secrets.add("STRIPE_KEY", "sk_live_42abcdef");
secrets.add("PIN", "8273645901827");
const seenIn = (payloads: Payload[] | undefined) =>
  (payloads ?? []).map(({ data }) => Buffer.from(data ?? []).toString()).join(" ");
const converterOf = (mask: boolean) => {
  const converter = { payloadCodecs: [new SecretGuard(secrets, "refuse")] };
  return loadDataConverter(mask ? maskingSecrets(converter) : converter);
};

test.each([
  [{ context: { order: { notes: ["", "key: sk_live_42abcdef"] } } }, "context.order.notes.1"],
  ["sk_live_42abcdef", "the input"],
  [{ sk_live_42abcdef: 1 }, "a key of the input"],
  [{ pin: 8273645901827 }, "pin"],
  [{ body: Buffer.from("user:sk_live_42abcdef").toString("base64") }, "body"],
])("a client that would send %j is refused, with the name of the secret and its place", async (value, place) => {
  const error = await encodeToPayloads(converterOf(false), value).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "secret_in_input", details: { place } });
  expect(JSON.stringify(error)).not.toContain("42abcdef");
});

test("a worker masks, and what it writes is the same JSON otherwise", async () => {
  const value = { a: ["x sk_live_42abcdef y", 8273645901827, 5], ok: true, none: null };
  const payloads = (await encodeToPayloads(converterOf(true), value, Buffer.from("raw sk_live_42abcdef"))) as Payload[];
  expect(await decodeArrayFromPayloads(converterOf(true), payloads)).toEqual([
    { a: ["x [secret STRIPE_KEY] y", "[secret PIN]", 5], ok: true, none: null },
    // As long as before: what is in it stays where it was.
    new Uint8Array(Buffer.from("raw [secret STRIPE_K")),
  ]);
});

test("a message of protobuf that holds a secret can be read after it was masked", async () => {
  const sent = { workflowId: "before sk_live_42abcdef after", runId: "run" };
  const { WorkflowExecution } = temporal.api.common.v1;
  const payload = {
    metadata: { encoding: Buffer.from("binary/protobuf") },
    data: WorkflowExecution.encode(sent).finish(),
  };
  const [masked] = await new SecretGuard(secrets, "mask").encode([payload]);
  expect(WorkflowExecution.decode(masked?.data as Uint8Array)).toMatchObject({
    workflowId: "before [secret STRIPE_K after",
    runId: "run",
  });
});

test("a worker masks also with a converter that has no guard, and tells the name of each secret once, never a value", async () => {
  const told: string[] = [];
  const tell = (name: string) => void told.push(name);
  const converter = loadDataConverter(maskingSecrets({}, { guard: new SecretGuard(secrets, "mask"), report: tell }));
  for (const value of [["sk_live_42abcdef", { pin: 8273645901827 }], "sk_live_42abcdef"])
    expect(seenIn(await encodeToPayloads(converter, value))).not.toMatch(/42abcdef|8273645901827/);
  expect(told).toEqual(["STRIPE_KEY", "PIN"]);
  expect(maskingSecrets({})).toEqual({});
});

test("a payload without a secret goes through as it is", async () => {
  const [payload] = (await encodeToPayloads(converterOf(false), { a: 1 })) as [Payload];
  const [guarded] = await new SecretGuard(secrets, "mask").encode([payload]);
  expect(guarded).toBe(payload);
});

test("a project names its secrets; one that is too short to be looked for is a mistake", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-secrets-"));
  const of = (config: object, env: NodeJS.ProcessEnv) => {
    writeFileSync(path.join(folder, "navigator.config.json"), JSON.stringify(config));
    return encodingOfFolder({ NAVIGATOR_PROJECT: "shop", NAVIGATOR_IDENTITY: folder, ...env }, folder);
  };
  try {
    const { dataConverter } = await of({ secrets: ["HOUSE_WORD"] }, { HOUSE_WORD: "open sesame please" });
    await expect(encodeToPayloads(loadDataConverter(dataConverter), ["open sesame please"])).rejects.toThrow(
      /HOUSE_WORD/,
    );
    await expect(of({ secrets: { names: ["PIN"] } }, { PIN: "1234" })).rejects.toThrow(
      /PIN has a value of fewer than 8/,
    );
    await expect(of({ secrets: ["not a name"] }, {})).rejects.toMatchObject({ code: "bad_project" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

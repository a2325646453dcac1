import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { KnownSecrets, knownSecrets } from "../../../src/node/secrets/known-secrets";
import { FileStreamStore } from "../../../src/node/streams/file-store";
import { encodingOfFolder } from "../../../src/project/encoding";
import { defineTool } from "../../../src/tools";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { startS3 } from "../../support/servers/s3-server";

/** On a real server: answers of 100 MB pass by reference, and no secret is in a history. */

const openRig = sharedRigs();
const MB = 1024 * 1024;
let home: string;
let rig: Rig;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "navigator-large-"));
});
afterEach(async () => {
  await rig.stop();
  rmSync(home, { recursive: true, force: true });
});

const encodingOf = async (config: object) => {
  writeFileSync(path.join(home, "navigator.config.json"), JSON.stringify(config));
  return (await encodingOfFolder({ NAVIGATOR_IDENTITY: home, NAVIGATOR_PROJECT: "shop" }, home)).dataConverter;
};
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
/** All that the server has of a run, with every payload as it is kept: the bytes of its history. */
const keptBytes = async (id: string): Promise<string> => {
  const history = await rig.client.temporal.workflow.getHandle(id).fetchHistory();
  const seen = (value: unknown): string => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
    return typeof value === "object" && value !== null ? Object.values(value).map(seen).join(" ") : String(value);
  };
  return seen(history);
};

test("a tool answers 100 MB: the model sees a cut with its size, another tool gets the whole, the history stays small", async () => {
  const piece = Buffer.alloc(MB, "every word of the archive ");
  const whole = createHash("sha256");
  for (let i = 0; i < 100; i++) whole.update(piece);
  async function* archive() {
    for (let i = 0; i < 100; i++) yield piece;
  }
  const given: string[] = [];
  const tools = [
    defineTool({
      name: "export_archive",
      effect: "read",
      run: async (_, { documents }) => ({ ...(await documents?.write(archive(), { media_type: "text/plain" })) }),
    }),
    // It knows nothing of documents: its answer is too large for a history.
    defineTool({ name: "export_rows", effect: "read", run: async () => ({ rows: "row ".repeat(MB) }) }),
    defineTool({
      name: "digest",
      effect: "read",
      input: z.object({ archive: z.object({ document: z.string() }).loose() }),
      run: async ({ archive }, { documents }) => {
        const hash = createHash("sha256");
        given.push(JSON.stringify(archive));
        for await (const part of documents?.stream(archive.document) ?? []) hash.update(part);
        return hash.digest("hex");
      },
    }),
  ];
  rig = await openRig({
    tools,
    dataConverter: await encodingOf({ largePayloads: { folder: "payloads", over: "20 KB" } }),
    script: [
      fenced(
        "(def a (tool/export_archive {})) (def r (tool/export_rows {})) (println a) (println (:bytes r) (:media_type r))",
      ),
      fenced("(return [(tool/digest {:archive a}) (:bytes r)])"),
    ],
  });
  const id = randomUUID();
  const run = await rig.client.startAgent({
    id,
    agent: agent({ tools: tools.map(({ spec }) => spec), max_turns: 4 }),
    model: "scripted",
  });
  const step = await run.result();
  expect(step.return).toEqual([whole.digest("hex"), expect.any(Number)]);
  const kept = await keptBytes(run.workflow.workflowId);
  expect(kept.length).toBeLessThan(100_000);
  // What the model was sent in turn 2.
  expect(kept).toContain(`${100 * MB}`);
  expect(kept).toContain("every word of the archive");
  expect(Buffer.byteLength(given[0] as string)).toBeLessThan(2_000);
  const sizes = filesOf(path.join(home, "payloads")).map((file) => statSync(file).size);
  expect(Math.max(...sizes)).toBeLessThan(5 * MB);
});

test("while S3 cannot be reached, a document waits, and an irreversible call is made after it, once, with its answer kept", async () => {
  const s3 = await startS3();
  const before = { ...process.env };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "none" });
  const outages: [string, number][] = [];
  const note = (name: string) => void outages.push([name, s3.outage]);
  const tools = [
    defineTool({
      name: "write_report",
      effect: "read",
      run: async (_, { documents }) => {
        s3.outage = 5;
        const report = await documents?.write("report ".repeat(100));
        note("written");
        // For the call that comes next.
        s3.outage = 5;
        return report?.bytes ?? 0;
      },
    }),
    defineTool({
      name: "pay",
      effect: "irreversible",
      run: async () => {
        note("paid");
        s3.outage = 5;
        return { receipt: "receipt ".repeat(5_000) };
      },
    }),
  ];
  try {
    const bucket = { bucket: "shop", region: "eu-central-1", endpoint: s3.url, forcePathStyle: true };
    rig = await openRig({
      tools,
      dataConverter: await encodingOf({ largePayloads: { s3: bucket, over: "20 KB" } }),
      script: [fenced("(return [(tool/write_report {}) (count (:receipt (tool/pay {})))])")],
    });
    const run = await rig.client.startAgent({
      id: randomUUID(),
      agent: agent({ tools: tools.map(({ spec }) => spec), max_turns: 2 }),
      model: "scripted",
    });
    expect((await run.result()).return).toEqual([700, 40_000]);
    expect(outages).toEqual([
      ["written", 0],
      ["paid", 0],
    ]);
    expect(s3.outage).toBe(0);
  } finally {
    process.env = before;
    await s3.close();
  }
});

test("of fifty secrets that tools, models and errors repeat, none is in the history, the database, the kept text or the result", async () => {
  const secrets = Array.from({ length: 50 }, (_, i) => `s3cr3t-${i}-${randomUUID()}`);
  secrets.forEach((value, i) => void knownSecrets.add(`PLANTED_${i}`, value));
  const at = (i: number) => secrets[i % 50] as string;
  const harmless = `harmless-${randomUUID()}`;
  const forms = [
    (s: string) => s,
    (s: string) => Buffer.from(`user:${s}`).toString("base64"),
    (s: string) => `https://x.example/?k=${encodeURIComponent(s)}`,
    (s: string) => Buffer.from(s).toString("hex"),
    (s: string) => JSON.stringify({ key: s }),
  ];
  const tools = [
    defineTool({
      name: "leak",
      effect: "read",
      run: async () =>
        Object.fromEntries(
          [harmless, ...secrets.slice(0, 40)].map((s, i) => [i % 2 ? `k${i}` : s, forms[i % 5]?.(s) ?? ""]),
        ),
    }),
    defineTool({
      name: "fail_with_it",
      effect: "read",
      run: async () => {
        throw new Error(`401 ${harmless}-failed for ${at(40)}`, { cause: new Error(`Bearer ${at(41)}`) });
      },
    }),
  ];
  const streams = new FileStreamStore(path.join(home, "streams"));
  const dataConverter = await encodingOf({});
  rig = await openRig({
    tools,
    streams,
    dataConverter,
    script: [
      `I know ${harmless}-thought and ${at(42)}.\n${fenced(`(def a (tool/leak {})) (println a) (println "${at(43)}" (tool-try (tool/fail_with_it {})))`)}`,
      fenced(`(task "keep" "${at(44)}") (return {:all a :own "${at(45)}" :memo "${at(46)}"})`),
    ],
  });
  const mission = (more: object, context: object = {}) => ({
    id: randomUUID(),
    agent: agent({ tools: tools.map(({ spec }) => spec), max_turns: 4, ...more }),
    model: "scripted",
    context: context as never,
  });
  const run = await rig.client.startAgent(mission({}));
  const step = await run.result();
  const planted = new KnownSecrets();
  secrets.forEach((value, i) => void planted.add(`PLANTED_${i}`, value));
  const kept = await keptBytes(run.workflow.workflowId);
  const texts = filesOf(path.join(home, "streams")).map((file) => readFileSync(file, "utf8"));
  expect([kept, JSON.stringify(step), ...texts].map((text) => planted.findIn(text))).toEqual([
    null,
    null,
    ...texts.map(() => null),
  ]);
  expect(kept).toContain("[secret PLANTED_0]");
  expect(texts.join("")).toContain("[secret PLANTED_42]");
  // The server's own files: what the tools and the model said beside the secrets is there, so the search looks at the right place.
  const { NAVIGATOR_TEST_HOME: serverHome } = process.env;
  if (serverHome !== undefined) {
    const database = filesOf(serverHome).map((file) => readFileSync(file));
    expect(database.map((bytes) => planted.findIn(bytes))).toEqual(database.map(() => null));
    for (const said of [harmless, `${harmless}-failed`, `${harmless}-thought`])
      expect(database.some((bytes) => bytes.includes(said))).toBe(true);
  }
  // What a client would send is refused before anything is written.
  for (const refused of [mission({ prompt: `use ${at(47)}` }), mission({}, { deep: [{ note: forms[1]?.(at(48)) }] })])
    await expect(rig.client.startAgent(refused)).rejects.toMatchObject({ code: "secret_in_input" });
});

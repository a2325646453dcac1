import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { KnownSecrets } from "../../../src/node/secrets/known-secrets";
import { type Answer, openPlace, type Place } from "../../support/cli";
import { testAddress } from "../../support/environment";
import { openReceiver, type Receiver } from "../../support/receivers";
import { until } from "../../support/until";
import { SERVERS } from "../../tools/mcp/sources";
import { Service, SHOP } from "../../tools/openapi/service";

/**
 * Fifty secrets that tools, services, errors and the model repeat: none is in the database, in the logs, in an export, on a page or
 * in a message to people. Beside each secret stands a harmless text, and each search must find that: it looks at the right place.
 */

const MAIN = path.join(__dirname, "../../../dist/cli/main.js");
const CONFIG = path.join(__dirname, "navigator.config.cjs");
/** 50 in the environment, and one that stands in the configuration. */
const SECRETS = Array.from({ length: 51 }, (_, n) => `s3cr3t-${n}-${randomUUID()}`);
const HARMLESS = randomUUID().slice(0, 8);
const word = (place: string) => `${place}-${HARMLESS}`;

const planted = new KnownSecrets();
SECRETS.forEach((value, n) => void planted.add(`PLANTED_${n}_TOKEN`, value));

let place: Place;
let shop: Service;
let hook: Receiver;
const processes: { child: ChildProcess; said: () => string }[] = [];
beforeAll(async () => {
  [place, shop, hook] = await Promise.all([openPlace("secrets"), new Service().start(), openReceiver()]);
  // It answers what it was sent, its key too.
  shop.answers = [
    (response, { headers }) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify([{ said: word("service"), got: headers }])),
  ];
});
afterAll(async () => {
  for (const { child } of processes) if (child.exitCode === null) child.kill("SIGKILL");
  await Promise.all([shop?.close(), hook?.close()]);
  place?.close();
});

/** Only the worker has the secrets: what others show, they have from the server. */
const forWorker = () => ({
  ...Object.fromEntries(SECRETS.slice(0, 50).map((value, n) => [`PLANTED_${n}_TOKEN`, value])),
  PLAIN_SETTING: SECRETS[50],
});
const forAll = () => ({
  HARMLESS,
  SHOP_DOCUMENT: SHOP,
  SHOP_URL: shop.url,
  MCP_PROGRAM: SERVERS.everything,
  HOOK_URL: hook.url,
  PLAIN_SETTING: "none",
  NAVIGATOR_LOG_LEVEL: "debug",
  PLANTED_43_TOKEN: "x",
  PLANTED_44_TOKEN: "x",
  PLANTED_45_TOKEN: "x",
});

/** A command that goes on, and all that it says on both of its outputs. */
async function started(args: string[], ready: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [MAIN, ...args, "--json", "--config", CONFIG], {
    cwd: place.folder,
    env: { ...environment(), ...forAll(), ...env },
  });
  let text = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  const ended = once(child, "exit");
  processes.push({ child, said: () => text });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(text);
    return text.includes(ready);
  }, ready);
  return {
    said: () => text,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const taskQueue = `secrets-${randomUUID()}`;
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TEMPORAL_ADDRESS: testAddress(),
  TEMPORAL_NAMESPACE: place.namespace,
  NAVIGATOR_HOME: path.join(place.folder, ".navigator"),
  NAVIGATOR_IDENTITY: path.join(place.folder, ".identity"),
  NAVIGATOR_PROJECT: "none",
  NAVIGATOR_TASK_QUEUE: taskQueue,
});

/**
 * What a command says, on both outputs. Some exit with a code other than 0: a mission that waits does. Only what loads the project
 * needs a process.
 */
async function said(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout, stderr } = args.includes(CONFIG)
    ? await place.run(args, { env: { ...forAll(), NAVIGATOR_TASK_QUEUE: taskQueue, ...env } })
    : await place.here().run(args);
  return stdout + stderr;
}

/** The bytes of everything that the server tells of a workflow. */
const bytesIn = (value: unknown): string => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return typeof value === "object" && value !== null ? Object.values(value).map(bytesIn).join(" ") : String(value);
};

test("of fifty secrets none is in the database, in memos, logs, exports, answers, events or messages; what stands beside them is", async () => {
  /** What was searched: where, its text, and the harmless texts that it must hold: after `=` as they are. */
  const searched: { where: string; text: string; words: string[] }[] = [];
  const look = (where: string, text: string, ...words: string[]) =>
    void searched.push({ where, text, words: words.map((one) => (one.startsWith("=") ? one.slice(1) : word(one))) });

  const id = word("mission");
  const workflowId = `agent/${id}`;
  // What a client would send is refused, and the refusal does not repeat it.
  const withSecret = JSON.stringify({ note: `${word("sent")} ${SECRETS[3]}` });
  const [worker, web, connection, refused, run] = await Promise.all([
    started(["worker"], "worker_ready", forWorker()),
    started(["web", "--port", "0"], "web_ready", {}),
    Connection.connect({ address: testAddress() }),
    said(["run", "leaky", "--detach", "--config", CONFIG, "--context", withSecret], forWorker()),
    said(["run", "leaky", "--detach", "--id", id, "--config", CONFIG, "--json"]),
  ]);
  const temporal = new Client({ connection, namespace: place.namespace });
  expect(refused).toContain("secret_in_input");
  look("a refusal of the CLI", refused);
  look("navigator run", run, "mission");
  const { url, link } = JSON.parse(
    web
      .said()
      .split("\n")
      .find((line) => line.includes('"web_ready"')) as string,
  ) as { url: string; link: string };
  const authorization = `Bearer ${new URLSearchParams(new URL(link).hash.slice(1)).get("token")}`;
  const api = async (at: string) => {
    const answer = await fetch(new URL(at, url), { headers: { authorization } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${at}: ${text}`);
    return text;
  };

  // While a person is asked: the memo, the inbox, the message to people.
  const inbox = await until(async () => {
    const { items } = JSON.parse(await api("/api/inbox")) as Answer;
    return items.length > 0 && items;
  }, "somebody is asked");
  look("GET /api/inbox", JSON.stringify(inbox), "asked");
  look("navigator review list", await said(["review", "list", "--json"]), "asked");
  const review = inbox[0].review.id;
  look("GET /api/inbox/ID", await api(`/api/inbox/${encodeURIComponent(review)}`), "asked");
  look("navigator review show", await said(["review", "show", review]), "asked");
  const { raw } = await temporal.workflow.getHandle(workflowId).describe();
  look("memo and search attributes", bytesIn(raw), "asked");
  await until(async () => hook.got.length > 0, "the webhook was called");
  look("the webhook", hook.got.map(({ headers, body }) => JSON.stringify(headers) + body).join("\n"), "mission");

  const events = readEvents(new URL(`/api/runs/${encodeURIComponent(workflowId)}/events`, url), authorization);
  look("navigator review decide", await said(["review", "decide", review, "approve", "--by", "anna", "--json"]));
  look(
    "the result",
    JSON.stringify(await temporal.workflow.getHandle(workflowId).result()),
    "answer",
    "result",
    "asked",
    "record",
  );
  look("server-sent events", await events, "thought", "asked");

  const history = await temporal.workflow.getHandle(workflowId).fetchHistory();
  look(
    "the history",
    bytesIn(history),
    "answer",
    "error",
    "thought",
    "service",
    "setting",
    "asked",
    "record",
    "result",
  );
  for (const [args, ...words] of [
    [["log", id, "--full"], "error", "service", "setting", "asked"],
    [["trace", id], "=leaky"],
    [["trace", id, "--export", "-"], "mission"],
    [["trace", id, "--otlp", "-", "--content"], "answer", "error", "asked"],
    [["effects", id, "--full"], "asked"],
    [["journal", "show", id], "record"],
    [["journal", "export", id], "record", "asked"],
  ] as [string[], ...string[]][])
    look(`navigator ${args.join(" ")}`, await said(args), ...words);
  const { effects } = JSON.parse(await api(`/api/runs/${encodeURIComponent(workflowId)}/effects`)) as Answer;
  look("navigator why", await said(["why", effects[0].key ?? effects[0].id]), "asked");
  for (const [at, ...words] of [
    ["", "mission"],
    ["/journal", "record"],
    ["/log", "record"],
    ["/turns", "error"],
    ["/trace", "=leaky"],
    ["/effects", "asked"],
    ["/ledger/export", "asked"],
  ] as [string, ...string[]][])
    look(`GET ${at}`, await api(`/api/runs/${encodeURIComponent(workflowId)}${at}`), ...words);
  look("GET /api/missions", await api("/api/missions"), "mission");

  await Promise.all([worker.stop(), web.stop()]);
  look("the log of the worker", worker.said(), "=secret_masked");
  look("the log of the page's server", web.said());
  const { NAVIGATOR_TEST_HOME: serverHome } = process.env;
  // It holds what all tests have done until now: too much for one text.
  const database = serverHome === undefined ? [] : filesOf(serverHome).map((file) => readFileSync(file));
  expect(database.map((bytes) => planted.findIn(bytes))).toEqual(database.map(() => null));
  if (serverHome !== undefined)
    for (const harmless of ["answer", "asked"])
      expect(database.some((bytes) => bytes.includes(word(harmless)))).toBe(true);
  look(
    "files of the project",
    filesOf(place.folder)
      .map((file) => readFileSync(file, "latin1"))
      .join(""),
    "thought",
  );
  await connection.close();

  // The services did get theirs.
  expect(JSON.stringify(shop.seen)).toContain(SECRETS[43]);
  expect(JSON.stringify(shop.seen)).toContain(SECRETS[50]);
  const found = searched.map(({ where, text, words }) => ({
    where,
    secret: planted.findIn(Buffer.from(text, "latin1")) ?? planted.findIn(text),
    missing: words.filter((one) => !text.includes(one)),
  }));
  expect(found).toEqual(searched.map(({ where }) => ({ where, secret: null, missing: [] })));
  const kept = searched.find(({ where }) => where === "the history")?.text as string;
  for (const n of [0, 39, 40, 41, 42, 43, 44, 46, 47, 48, 49]) expect(kept).toContain(`[secret PLANTED_${n}_TOKEN]`);
});

/** All events of a mission until it is over. */
async function readEvents(url: URL, authorization: string): Promise<string> {
  const stopping = new AbortController();
  const answer = await fetch(url, { headers: { authorization }, signal: stopping.signal });
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (/^event: over\b/m.test(text)) break;
  }
  stopping.abort();
  return text;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith(".token"));
}

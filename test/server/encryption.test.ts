import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import { openMissionControl } from "../../src/cli/session/web-session";
import { NavigatorClient } from "../../src/client/client";
import { LOOPBACK_HOSTS } from "../../src/node/http/guard";
import { createLogger } from "../../src/node/log";
import { loadConfig } from "../../src/node/settings";
import { loadProject } from "../../src/project/load";
import { lazyBackend } from "../../src/server/backend/lazy-backend";
import { findCli } from "../../src/server/temporal-cli";
import { type Answer, type Commands, openPlace, type Place, program } from "../support/cli";
import { testAddress } from "../support/environment";
import { connectInMemory, WITHOUT_TEMPORAL } from "../support/mcp/client";
import { deepTest } from "../support/run/deep";
import { until } from "../support/until";

/**
 * A project with `codec: "aes-gcm"` (docs/encryption.md): its mission is started by the command line, shown by the page and by the MCP
 * server, taken over by another worker process, and nothing of it can be read at the server, in no history and no stream.
 * Whoever lacks the key is told so, and a worker without it fails nothing.
 */

/** Part of everything that the mission says: prompt, context, program, arguments, answers of tools, failures. */
const SECRET = "Zanzibar";
const ID = "order-7";
const RUN = `agent/${ID}`;

const TOLD = {
  code: "encryption_key_missing",
  message: expect.stringMatching(/encrypted with key key-.*, which this process does not have/),
};

let place: Place;
let here: Commands;
let connection: Connection;
const log = createLogger("silent");
const workers: Awaited<ReturnType<Place["startWorker"]>>[] = [];
const startWorker = async () => {
  const worker = await place.startWorker();
  workers.push(worker);
  return worker;
};

beforeAll(async () => {
  place = await openPlace("encryption");
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     module.exports = {
       codec: "aes-gcm",
       agents: "./agents",
       script: "./script.json",
       tools: [
         defineTool({ name: "find", signature: "(city :string) -> :string", run: ({ city }) => { throw new Error("no way to " + city); } }),
         defineTool({ name: "note", signature: "(n :int) -> :int", effect: "write", run: ({ n }) => n + 1 }),
         defineTool({
           name: "refund", effect: "irreversible", signature: "(city :string) -> {receipt :string}",
           approval: { assignees: ["anna"] }, run: ({ city }) => ({ receipt: "receipt of " + city }),
         }),
       ],
     };`,
  );
  place.write(
    "agents/clerk.yaml",
    `prompt: "The office is in ${SECRET}. Refund {{city}}."\nsignature: "(city :string) -> :string"\ntools: [find, refund]\nmax_turns: 4\n`,
  );
  place.write("agents/counter.yaml", 'prompt: Count.\nsignature: "() -> :int"\ntools: [note]\nmax_turns: 4\n');
  place.write("script.json", {
    counter: [program("(tool/note {:n 1})"), program("(tool/note {:n 2})"), program("(return (tool/note {:n 3}))")],
    clerk: [program(`(tool/find {:city "${SECRET}"})`), program(`(return (:receipt (tool/refund {:city data/city})))`)],
  });
  here = place.here();
  connection = await Connection.connect({ address: testAddress() });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await connection?.close();
  place.close();
});

/** Somebody who sees the server and has no key: also payloads are looked through. */
const stranger = () => new Client({ connection, namespace: place.namespace });
const bytesAtServer = async () => {
  const { workflowService } = connection;
  const { namespace } = place;
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, query: "" });
  const parts: string[] = [];
  for (const { execution } of executions) {
    const handle = stranger().workflow.getHandle(execution?.workflowId ?? "", execution?.runId ?? "");
    const described = await workflowService.describeWorkflowExecution({ namespace, execution: execution ?? {} });
    parts.push(historyToJSON(await handle.fetchHistory()), JSON.stringify(described));
  }
  const text = parts.join("\n");
  // What is in base64 is looked at, too.
  return (
    text +
    [...text.matchAll(/"([A-Za-z0-9+/=]{8,})"/g)]
      .map(([, word]) => Buffer.from(word as string, "base64").toString("latin1"))
      .join("\n")
  );
};
const keyless = () => {
  const folder = path.join(place.folder, ".nobody");
  mkdirSync(folder, { recursive: true });
  return { NAVIGATOR_IDENTITY: folder };
};
/** The parts of the project as a server of ours has them, for somebody with these settings. */
async function serverOf(env: NodeJS.ProcessEnv) {
  const project = await loadProject(place.folder, { env: { ...process.env, ...env } });
  const config = loadConfig();
  const { backend, close } = lazyBackend(config, { project, model: "scripted", log });
  const mcp = await connectInMemory({ ...WITHOUT_TEMPORAL, project, backend });
  const page = await openMissionControl(
    { config, project, log },
    {
      token: "page-token",
      findToken: () => null,
      host: "127.0.0.1",
      port: 0,
      hosts: LOOPBACK_HOSTS,
      origins: [],
      anonymous: false,
      service: "mcp",
      isSecure: false,
      publicUrl: null,
      temporalUi: "http://127.0.0.1:8233",
    },
  );
  // The link has the token once, when it is made.
  const token = page.tokenFile
    ? readFileSync(page.tokenFile, "utf8").trim()
    : new URL(page.link).hash.replace("#token=", "");
  const headers = { authorization: `Bearer ${token}` };
  const get = async (where: string): Promise<Answer> => (await fetch(`${page.url}/api${where}`, { headers })).json();
  return {
    mcp,
    get,
    url: page.url,
    headers,
    close: async () => {
      await Promise.all([mcp.close(), page.close()]);
      await close();
    },
  };
}

test("without a key nothing is written, and no worker begins", async () => {
  expect(await here.refused(["run", "clerk", "--context", '{"city":"Rome"}', "--detach"], { code: 3 })).toMatchObject({
    code: "encryption_key_missing",
    hint: expect.stringContaining("navigator keys create"),
  });
  expect((await here.run(["worker", "--json"])).stderr).toContain("encryption_key_missing");
});

test("a mission is started, killed, taken over, approved with a rotated key, and never readable at the server", async () => {
  const { id: first } = await here.json(["keys", "create"]);
  const before = await startWorker();
  await here.json(["run", "clerk", "--id", ID, "--context", JSON.stringify({ city: SECRET }), "--detach"]);
  const waiting = async () => (await here.json(["review", "list"])).open as Answer[];
  await until(async () => (await waiting()).length === 1, "it asks");
  const [{ review }] = await waiting();
  expect(review.data).toMatchObject({ args: { city: SECRET } });

  expect(await here.refused(["review", "list"], { env: keyless(), code: 3 })).toMatchObject(TOLD);

  process.kill(before.pid, "SIGKILL");
  const { id: second } = await here.json(["keys", "rotate"]);
  await startWorker();
  expect((await here.refused(["keys", "retire", first])).message).toContain(RUN);
  const { checks } = await here.json(["doctor"]);
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "Encryption",
      found: expect.stringContaining(`codec aes-gcm; ${second} encrypts`),
    }),
  );

  const known = await serverOf({});
  try {
    expect(JSON.stringify(await known.get("/inbox"))).toContain(SECRET);
    expect(JSON.stringify(await known.get(`/runs/${encodeURIComponent(RUN)}/turns`))).toContain(`no way to ${SECRET}`);
    expect(JSON.stringify(await known.mcp.call("list_reviews"))).toContain(SECRET);
    await here.json(["review", "decide", review.id, "approve", "--by", "anna"]);
    await until(async () => (await known.get(`/runs/${encodeURIComponent(RUN)}`)).state === "completed", "it ends");
    expect(JSON.stringify(await known.mcp.call("get_run", { runId: ID }))).toContain(`receipt of ${SECRET}`);
    expect((await here.run(["log", ID])).stdout).toContain(`receipt of ${SECRET}`);

    // Temporal's own command line, without the codec and with it.
    const { executable } = (await findCli({ ...loadConfig(), env: process.env, progress: () => {} })) as {
      executable: string;
    };
    const show = async (...more: string[]) =>
      promisify(execFile)(executable, [
        "workflow",
        "show",
        "--workflow-id",
        RUN,
        "--output",
        "json",
        "--address",
        testAddress(),
        "--namespace",
        place.namespace,
        ...more,
      ]);
    const decoded = (text: string) =>
      [...text.matchAll(/"([A-Za-z0-9+/=]{8,})"/g)]
        .map(([, word]) => Buffer.from(word as string, "base64").toString())
        .join("\n") + text;
    expect(decoded((await show()).stdout)).not.toContain(SECRET);
    const through = ["--codec-endpoint", `${known.url}/api/codec`, "--codec-auth", known.headers.authorization];
    expect(decoded((await show(...through)).stdout)).toContain(`receipt of ${SECRET}`);

    // The page of the Web UI may ask, and no other page.
    const ask = (origin: string, init: RequestInit = {}) =>
      fetch(`${known.url}/api/codec/decode`, {
        method: "POST",
        body: '{"payloads":[]}',
        ...init,
        headers: { ...known.headers, origin, ...init.headers },
      });
    const preflight = await ask("http://127.0.0.1:8233", {
      method: "OPTIONS",
      body: null,
      headers: { "access-control-request-method": "POST" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "http://127.0.0.1:8233",
    ]);
    expect((await ask("http://127.0.0.1:8233")).status).toBe(200);
    // It asks for a whole page of a history at once.
    const page = JSON.stringify({ payloads: [{ data: Buffer.alloc(5 * 1024 * 1024).toString("base64") }] });
    expect((await ask("http://127.0.0.1:8233", { body: page })).status).toBe(200);
    expect((await ask("http://evil.example")).status).toBe(403);
    expect((await ask("http://127.0.0.1:8233", { headers: { authorization: "Bearer other" } })).status).toBe(401);
    expect((await ask("http://127.0.0.1:8233", { headers: { "x-namespace": "other" } })).status).toBe(400);
  } finally {
    await known.close();
  }

  const bytes = await bytesAtServer();
  expect(bytes).not.toContain(SECRET);
  for (const key of [first, second]) expect(bytes).toContain(key);
  const streams = path.join(place.folder, ".navigator", "streams");
  const kept = readdirSync(streams).map((file) => readFileSync(path.join(streams, file), "utf8"));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.join("\n")).not.toMatch(new RegExp(`${SECRET}|${Buffer.from(SECRET).toString("base64").slice(0, 8)}`));
});

test("whoever lacks the key is told which one: command line, MCP server and page", async () => {
  for (const args of [
    ["log", ID],
    ["journal", "show", ID],
    ["trace", ID],
    ["effects", ID],
  ])
    expect({ args, ...(await here.refused(args, { env: keyless(), code: 3 })) }).toMatchObject({ args, ...TOLD });
  const unknown = await serverOf(keyless());
  try {
    for (const where of [`/runs/${encodeURIComponent(RUN)}`, `/runs/${encodeURIComponent(RUN)}/turns`, "/missions"])
      expect({ where, ...(await unknown.get(where)) }).toMatchObject({ where, code: TOLD.code, detail: TOLD.message });
    expect((await unknown.mcp.refused("get_mission_log", { id: ID })).error).toMatchObject(TOLD);
    expect((await unknown.mcp.refused("get_run", { runId: ID })).error).toMatchObject(TOLD);
  } finally {
    await unknown.close();
  }
});

deepTest("a worker without the key fails nothing: its calls wait for one that has it", async () => {
  const other = await openPlace("keyless", {
    TEMPORAL_NAMESPACE: place.namespace,
    NAVIGATOR_TASK_QUEUE: process.env.NAVIGATOR_TASK_QUEUE,
  });
  try {
    other.write("navigator.config.cjs", "module.exports = {};");
    workers.push(await other.startWorker());
    const ids = ["count-1", "count-2", "count-3"];
    for (const id of ids) await here.json(["run", "counter", "--id", id, "--context", "{}", "--detach"]);
    const { dataConverter } = (await loadProject(place.folder)).encoding;
    const temporal = new Client({ connection, namespace: place.namespace, dataConverter });
    const client = new NavigatorClient(temporal, "unused");
    for (const id of ids) expect(await client.agent(id).result()).toMatchObject({ return: 4, fail: null });
  } finally {
    other.close();
  }
});

test("keys that several commands make at once are all there", async () => {
  const [first, ...more] = await Promise.all(
    ["one", "two", "three", "four"].map((id) => here.json(["keys", "create", "--id", id])),
  );
  expect([first, ...more].map(({ id }) => id)).toEqual(["one", "two", "three", "four"]);
  const { keys } = await here.json(["keys", "list"]);
  expect(keys.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(["one", "two", "three", "four"]));
});

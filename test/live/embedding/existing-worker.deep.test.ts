import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../../src/client/client";
import { listMissions } from "../../../src/client/missions";
import { defineAgent } from "../../../src/project/authoring/define-agent";
import { ensureSearchAttributes } from "../../../src/server/search-attributes";
import { testAddress } from "../../support/environment";
import { until } from "../../support/until";

/**
 * Somebody's worker (examples/existing-worker): workflows, activities, sinks, a codec and tracing of its own, with the
 * plugin. It is killed after the money has moved and before the answer is recorded; another process takes over.
 */
const EXAMPLE = path.join(__dirname, "../../../examples/existing-worker");
const { dataConverter } = require(path.join(EXAMPLE, "codec.cjs")) as {
  dataConverter(key: string): { payloadCodecs: never[]; failureConverterPath: string };
};

const KEY = randomBytes(32).toString("hex");
const run = randomUUID().slice(0, 8);
const taskQueue = `orders-${run}`;
/** Stands in ids, which are never encrypted. */
const ORDER = `order-${run}`;
/** Texts that stand in inputs, results, memos, prompts, journals and failures. None of them may be readable. */
const SECRET = {
  complaint: `complaint-secret-${run}`,
  tx: `tx-secret-${run}`,
  failure: `failure-secret-${run}`,
};

let connection: Connection;
let client: NavigatorClient;
let bank: Bank;
const workers: SomeWorker[] = [];

beforeAll(async () => {
  connection = await Connection.connect({ address: testAddress() });
  await ensureSearchAttributes(connection, "default");
  const temporal = new Client({ connection, dataConverter: dataConverter(KEY) });
  client = new NavigatorClient(temporal, taskQueue);
  bank = await startBank();
});
afterAll(async () => {
  for (const worker of workers) worker.process.kill("SIGKILL");
  await bank.close();
  await connection.close();
});

test("a mission in somebody's worker is taken over by another process: effects happen once, and nothing is readable", async () => {
  const first = await startWorker();
  const id = `return-${run}`;
  const order = await client.temporal.workflow.start("returnOrder", {
    workflowId: id,
    taskQueue,
    args: [{ order_id: ORDER, complaint: SECRET.complaint }],
  });
  await bank.moved;
  const mission = client.agent(`refund-${ORDER}`);
  expect(await order.query("stage")).toBe("refund");
  first.process.kill("SIGKILL");
  await first.ended;

  const second = await startWorker();
  expect(await order.result()).toEqual({ shelf: `shelf ${ORDER.length}`, tx: SECRET.tx });
  expect(bank.refunds).toEqual([ORDER]);
  expect(new Set(bank.keys).size).toBe(1);
  // Once more for the kill, and for each time that a busy worker counts as lost.
  expect(bank.keys.length).toBeGreaterThanOrEqual(2);

  // Navigator's client sees the mission as one of its own, with the same data converter.
  const step = await mission.result();
  expect(step).toMatchObject({ fail: null, return: { tx: SECRET.tx } });
  expect(await mission.effects()).toMatchObject([{ tool: "refund_card", state: "done" }]);
  const listed = await until(async () => {
    const { missions } = await listMissions(client, { agent: "refund-clerk", started_after: first.started });
    return missions.find(({ workflow_id }) => workflow_id === mission.workflow.workflowId && missions);
  }, "the mission is listed");
  expect(listed).toMatchObject({ state: "completed", task_queue: taskQueue });

  // A mission that fails: its failure is encrypted, too.
  bank.refuse = SECRET.failure;
  const failing = await client.startAgent({
    id: `fails-${run}`,
    agent: defineAgent({ name: "refund-clerk", prompt: SECRET.complaint, tools: ["refund_card"], max_turns: 1 }),
    context: { order_id: ORDER },
    model: "scripted",
  });
  const failed = await failing.result();
  expect(failed.fail).not.toBeNull();
  expect(JSON.stringify(failed.turns)).toContain(SECRET.failure);

  for (const workflowId of [id, mission.workflow.workflowId, failing.workflow.workflowId]) {
    const raw = await rawWorkflow(workflowId);
    expect(raw).toContain("binary/encrypted");
    expect(Object.values(SECRET).filter((text) => raw.includes(text))).toEqual([]);
  }

  // Their sinks and tracing see our work as theirs.
  second.process.kill("SIGTERM");
  await second.ended;
  const said = second.said.map((line) => JSON.parse(line) as { audit?: string; spans?: string[] });
  expect(said.flatMap(({ audit }) => audit ?? [])).toEqual([`${ORDER}: refunded`]);
  const spans = said.flatMap((line) => line.spans ?? []);
  expect(spans).toEqual(expect.arrayContaining(["RunActivity:runCalls", "RunWorkflow:agentRun"]));
  expect(spans).toEqual(
    expect.arrayContaining(["invoke_agent refund-clerk", "execute_tool refund_card", "chat scripted"]),
  );
});

test("the database of the server has none of the texts", () => {
  const home = process.env.NAVIGATOR_TEST_HOME;
  // A server of the developer's choosing keeps its database where we cannot read it.
  if (home === undefined) return;
  const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((file) => /\.(db|sqlite)/.test(file));
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((file) => {
    const bytes = readFileSync(path.join(home, file));
    return Object.entries(SECRET).flatMap(([name, text]) => (bytes.includes(text) ? [`${name} in ${file}`] : []));
  });
  expect(found).toEqual([]);
  // It would be found: what is in the clear stands there, too.
  expect(files.some((file) => readFileSync(path.join(home, file)).includes(ORDER))).toBe(true);
});

/** Everything that the server tells of a workflow, as text, without any codec. */
async function rawWorkflow(workflowId: string): Promise<string> {
  const execution = { workflowId };
  const [history, described] = await Promise.all([
    connection.workflowService.getWorkflowExecutionHistory({ namespace: "default", execution }),
    connection.workflowService.describeWorkflowExecution({ namespace: "default", execution }),
  ]);
  return JSON.stringify([history, described]).replace(
    /"([A-Za-z0-9+/]{8,}={0,2})"/g,
    (text, base64: string) => `${text} ${Buffer.from(base64, "base64").toString("latin1")}`,
  );
}

interface SomeWorker {
  process: ChildProcess;
  started: number;
  said: string[];
  ended: Promise<unknown>;
}

/** The example's worker as its own process, ready. */
async function startWorker(): Promise<SomeWorker> {
  const child = spawn(process.execPath, [path.join(EXAMPLE, "worker.cjs")], {
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: testAddress(),
      TASK_QUEUE: taskQueue,
      KEY,
      BANK_URL: bank.url,
      NAVIGATOR_SCRIPT: path.join(EXAMPLE, "script.json"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const ended = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("{")) return;
      said.push(line);
      if (line.includes('"ready"')) resolve();
    });
    child.once("exit", (code) => reject(new Error(`The worker ended with ${code}:\n${errors.join("")}`)));
  });
  const worker = { process: child, started: Date.now() - 60_000, said, ended };
  workers.push(worker);
  return worker;
}

interface Bank {
  url: string;
  /** The first refund: the money has moved, and the answer is kept back. */
  moved: Promise<void>;
  refunds: string[];
  keys: string[];
  refuse?: string;
  close(): Promise<void>;
}

async function startBank(): Promise<Bank> {
  const done = new Map<string, string>();
  let tell = () => {};
  const moved = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      if (own.refuse !== undefined) return void response.writeHead(402, own.refuse).end();
      const key = String(request.headers["idempotency-key"]);
      const { order_id } = JSON.parse(body) as { order_id: string };
      own.keys.push(key);
      const again = done.has(key);
      if (!again) own.refunds.push(order_id);
      done.set(key, order_id);
      // The first answer never comes: its worker dies before.
      if (!again) return tell();
      response.setHeader("content-type", "application/json").end(JSON.stringify({ tx: SECRET.tx }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const own: Bank = {
    url: `http://127.0.0.1:${port}`,
    moved,
    refunds: [],
    keys: [],
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return own;
}

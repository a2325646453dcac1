import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client, Connection, type WorkflowClientInterceptor } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time";
import { startWorkerProcess, type WorkerProcess } from "../../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../../src/client/client";
import { exportedEvents } from "../../../src/core/history/read/decode-events";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { temporaryFolder } from "../../support/environment";
import { agent } from "../../support/rig";
import { deepTest } from "../../support/run/deep";
import { sized } from "../../support/run/property";
import { until } from "../../support/until";

/**
 * What a killed worker had under way is given back by the next worker with the same home (engine reference, section 3). The time
 * limits of the write, and of workflow tasks, are longer than any test may take, so nothing else can find out.
 */
const CONFIG = path.join(__dirname, "../programs/navigator.config.cjs");

const signature = "(kind :string, n :int) -> :int";
const LONG = { heartbeat_ms: 3_600_000, timeout_ms: 3_600_000 };

const TOOLS = [
  { name: "book", signature, ...LONG },
  { name: "look", signature, effect: "read" },
  { name: "final", signature, effect: "irreversible" },
];

interface Call {
  n: number;
  key: string;
}

/** Workflow tasks may take an hour. */
const patient: WorkflowClientInterceptor = {
  start: (input, next) => next({ ...input, options: { ...input.options, workflowTaskTimeout: msToTs("1 hour") } }),
};

let connection: Connection;

beforeAll(async () => {
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string });
});

afterAll(() => connection.close());

type Environment = Record<string, string>;

/** A worker that its users wrote, ready to work. */
async function ownProcess(env: Environment, computing = () => {}): Promise<WorkerProcess> {
  const file = path.join(__dirname, "own-process.cjs");
  const ADDRESS = process.env.TEMPORAL_ADDRESS as string;
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env, ADDRESS },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => line === "computing" && computing());
  const [first] = await Promise.race([once(lines, "line"), ended]);
  if (first !== "ready") throw new Error(`The worker ended with ${first} before it was ready.`);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return { pid: child.pid as number, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

type Run = Awaited<ReturnType<NavigatorClient["startAgent"]>>;

/** A mission on worker processes that share a home. @param answer of the service behind its tools */
async function served(
  answer: (call: Call, workers: { kill(): Promise<void>; launch(): Promise<void> }) => Promise<void>,
  meanwhile: (run: Run, workers: { launch(): Promise<void> }) => Promise<void> = async () => {},
  {
    script = "./lost.yaml",
    tools = TOOLS as object[],
    workflow = [patient],
    start = (env: Environment, taskQueue: string) => startWorkerProcess({ config: CONFIG, taskQueue, env }),
  } = {},
) {
  const home = temporaryFolder("lost-work");
  const workers: WorkerProcess[] = [];
  const taskQueue = `lost-${randomUUID()}`;
  const calls: Call[] = [];
  const working: Promise<unknown>[] = [];
  // Connections stay open: one that is closed as a busy worker sends its next call would fail it.
  const service = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    // A worker that is killed while it sends has not called.
    request.on("error", () => {});
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { n } = JSON.parse(Buffer.concat(chunks).toString()) as { n: number };
    const call = { n, key: String(request.headers["idempotency-key"]) };
    calls.push(call);
    working.push(answer(call, { kill, launch }).then(() => response.end(String(n))));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const launch = async () => {
    const env = { SERVICE_URL: url, SCRIPT: script, NAVIGATOR_HOME: home.path, NAVIGATOR_CACHE: home.path };
    workers.push(await start(env, taskQueue));
  };
  const kill = async () => {
    await workers.pop()?.kill();
  };
  try {
    await launch();
    const client = new NavigatorClient(new Client({ connection, interceptors: { workflow } }), taskQueue);
    const run = await client.startAgent({ agent: agent({ tools }), model: "scripted" });
    await meanwhile(run, { launch });
    const step = await run.result().catch((error: Error) => error);
    const exported = await client.history(run.workflow.workflowId);
    return { step, calls, history: exportedEvents(exported), effects: projectEffects(exported) };
  } finally {
    await Promise.all(working);
    await Promise.all(workers.map((worker) => worker.stop()));
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
    home.remove();
  }
}

test("the next worker gives back a write, and the workflow task of a read, however often; an irreversible call is asked about", async () => {
  const kills = new Map([
    [1, sized(1, 2)],
    [2, sized(1, 2)],
    [3, 1],
  ]);
  const { step, calls, history } = await served(
    async ({ n }, { kill, launch }) => {
      const left = kills.get(n) ?? 0;
      if (left === 0) return;
      kills.set(n, left - 1);
      await kill();
      await launch();
    },
    async (run) => {
      const asked = await until(async () => (await run.reviews()).find(({ status }) => status === "open"), "it asks");
      expect(asked).toMatchObject({ data: { code: "unknown_outcome", tool: "final" } });
      await run.decide({ review: asked.id, choice: "did_not_happen", by: "anna" });
    },
  );
  expect(step).toMatchObject({ journal: { book: 1, look: 2 } });
  // The irreversible call is not made again.
  expect(calls.map(({ n }) => n)).toEqual(sized([1, 1, 2, 2, 3], [1, 1, 1, 2, 2, 2, 3]));
  expect(new Set(calls.filter(({ n }) => n === 1).map(({ key }) => key)).size).toBe(1);
  // Each workflow task of the read was failed, and none timed out. Attempts after the first are no events. A task that waited too long
  // for a busy worker was not begun.
  const begun = history.filter(
    ({ type, attributes }) =>
      type === "WorkflowTaskTimedOut" && attributes.timeoutType !== "TIMEOUT_TYPE_SCHEDULE_TO_START",
  );
  expect(begun).toEqual([]);
  const failures = history
    .filter(({ type }) => type === "WorkflowTaskFailed")
    .map(({ attributes }) => attributes.failure);
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) expect(failure).toMatchObject({ message: "its worker was lost" });
});

const ONE_BOOKING = { PROGRAM: '(return (tool/book {:kind "book" :n 1}))' };

test("a tool that computes for longer than heartbeat timeouts in the main thread repeats no call", async () => {
  let book = () => {};
  let compute = () => {};
  const isBooking = new Promise<void>((resolve) => (book = resolve));
  const isComputing = new Promise<void>((resolve) => (compute = resolve));
  const PROGRAM = '(return (pcalls #(tool/book {:kind "pay" :n 1}) #(tool/compute {:kind "sum" :n 2})))';
  const env = { PROGRAM, WITH: "createWorker" };
  const { step, calls, history } = await served(
    ({ n }) => {
      if (n === 2) return isBooking;
      book();
      return isComputing;
    },
    undefined,
    {
      tools: [
        { name: "book", signature, heartbeat_ms: 2_000 },
        { name: "compute", signature, effect: "read", heartbeat_ms: 2_000 },
      ],
      start: (more, TASK_QUEUE) => ownProcess({ ...more, ...env, TASK_QUEUE }, compute),
    },
  );
  expect(step).toMatchObject({ return: [1, 2] });
  expect(calls.map(({ n }) => n).sort()).toEqual([1, 2]);
  const started = history.filter(({ type }) => type === "ActivityTaskStarted");
  expect(started.map(({ attributes }) => attributes.attempt)).toEqual(started.map(() => 1));
});

deepTest.each(["createWorker", "plugin"])(
  "a worker of an own process with %s gives back a write, without a setting",
  async (kind) => {
    let begun = 0;
    const { step, calls } = await served(
      async (_, { kill, launch }) => {
        begun += 1;
        if (begun > 1) return;
        await kill();
        await launch();
      },
      undefined,
      {
        tools: TOOLS.slice(0, 1),
        start: (env, taskQueue) => ownProcess({ ...env, ...ONE_BOOKING, WITH: kind, TASK_QUEUE: taskQueue }),
      },
    );
    expect(step).toMatchObject({ return: 1 });
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
    expect(calls).toHaveLength(2);
  },
);

deepTest("a worker that lives keeps what it has under way, whoever comes beside it", async () => {
  let isAlone = true;
  const { step, calls } = await served(async (_, { launch }) => {
    if (isAlone) await launch();
    isAlone = false;
  });
  expect(step).toMatchObject({ return: 3 });
  expect(calls.map(({ n }) => n)).toEqual([1, 2, 3]);
});

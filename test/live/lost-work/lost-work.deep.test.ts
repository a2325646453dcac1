import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client, Connection, type WorkflowClientInterceptor } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time";
import { startWorkerProcess, type WorkerProcess } from "../../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../../src/client/client";
import { readHistory } from "../../../src/core/history/read/history";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { temporaryFolder } from "../../support/environment";
import { agent } from "../../support/rig";
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

type Run = Awaited<ReturnType<NavigatorClient["startAgent"]>>;

/** A mission on worker processes that share a home. @param answer of the service behind its tools */
async function served(
  answer: (call: Call, workers: { kill(): Promise<void>; launch(): Promise<void> }) => Promise<void>,
  meanwhile: (run: Run, workers: { launch(): Promise<void> }) => Promise<void> = async () => {},
  { script = "./lost.yaml", tools = TOOLS as object[], workflow = [patient] } = {},
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
    const env = { SERVICE_URL: url, SCRIPT: script, NAVIGATOR_HOME: home.path };
    workers.push(await startWorkerProcess({ config: CONFIG, taskQueue, env }));
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
    return { step, calls, history: readHistory(exported), effects: projectEffects(exported) };
  } finally {
    await Promise.all(working);
    await Promise.all(workers.map((worker) => worker.stop()));
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
    home.remove();
  }
}

test.each([
  ["behind a reply", "./chain.yaml", []],
  ["in a program", "./chain-behind-final.yaml", [7]],
])("a stretch %s that loses its workers makes again only the call that was under way", async (_, script, before) => {
  const kills = new Set([2, 5]);
  const tools = [
    { name: "book", signature },
    { name: "final", signature, effect: "irreversible" },
  ];
  const { step, calls, history } = await served(
    async ({ n }, { kill, launch }) => {
      if (!kills.delete(n)) return;
      await kill();
      await launch();
    },
    undefined,
    { script, tools },
  );
  expect(step).toMatchObject({ return: "booked", journal: { b1: 1, b2: 2, b3: 3, b4: 4, b5: 5, b6: 6 } });
  const made = calls.map(({ n }) => n);
  // What comes again comes behind itself.
  expect(made.filter((n, at) => n !== made[at - 1])).toEqual([...before, 1, 2, 3, 4, 5, 6]);
  for (const n of [2, 5]) expect(made.filter((one) => one === n).length).toBeGreaterThan(1);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(before.length + 6);
  const started = history.flatMap((fact) => (fact.kind === "activity_started" ? [fact.attempt] : []));
  expect(Math.max(...started)).toBeGreaterThan(1);
  // The run heard of each loss, from the next worker or, on a busy machine, from a time limit, and went on behind what was kept.
  const lost = history.filter(
    (fact) => fact.kind === "activity_ended" && (fact.outcome === "timed_out" || fact.outcome === "failed"),
  );
  expect(lost.length).toBeGreaterThanOrEqual(2);
  // Each loss makes at most one call come again.
  expect(made.length).toBeLessThanOrEqual(before.length + 6 + lost.length);
});

test("a mission that is cancelled while no worker has its stretch has in its ledger what was made, and makes nothing again", async () => {
  let dies = () => {};
  const died = new Promise<void>((resolve) => {
    dies = resolve;
  });
  const tools = [
    { name: "book", signature },
    { name: "final", signature, effect: "irreversible" },
  ];
  const { step, calls, effects } = await served(
    async ({ n }, { kill }) => {
      if (n !== 3) return;
      await kill();
      dies();
    },
    async (run, { launch }) => {
      await died;
      const isNoticed = async () =>
        (await run.workflow.fetchHistory()).events?.some(
          ({ activityTaskTimedOutEventAttributes: lost }) => lost != null,
        );
      await until(isNoticed, "the loss is noticed");
      await run.workflow.cancel();
      await launch();
    },
    { script: "./chain-behind-final.yaml", tools, workflow: [] },
  );
  expect(step).toBeInstanceOf(Error);
  expect(calls.map(({ n }) => n)).toEqual([7, 1, 2, 3]);
  expect(effects.map(({ task, state }) => [task, state])).toEqual([
    ["final", "done"],
    ["b1", "done"],
    ["b2", "done"],
    ["b3", "intended"],
  ]);
});

test("calls side by side survive kill after kill, with the usual time limits: one key for each effect, and every answer", async () => {
  // At these calls. Each kill makes at least one call come again, so all of them are reached.
  const KILLS = [2, 4, 9, 10, 15];
  let count = 0;
  let kills = 0;
  let killing = Promise.resolve();
  const { step, calls } = await served(
    async (_, { kill, launch }) => {
      count += 1;
      if (!KILLS.includes(count)) return;
      killing = killing.then(kill).then(launch);
      await killing;
      kills += 1;
    },
    undefined,
    {
      script: "./lost-often.yaml",
      tools: [
        { name: "book", signature },
        { name: "look", signature, effect: "read" },
      ],
      workflow: [],
    },
  );
  expect(step).toMatchObject({ return: [[1, 2, 3, 4, 5, 6], 7, [8, 9, 10, 11, 12, 13]] });
  expect(kills).toBe(KILLS.length);
  // What the service did: it does nothing twice for one key.
  const effects = new Map(calls.map(({ key, n }) => [key, n]));
  expect([...effects.values()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
});

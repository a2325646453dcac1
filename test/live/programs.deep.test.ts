import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess, type WorkerProcess } from "../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../src/client/client";
import type { AgentHandle } from "../../src/client/handles";
import { decodePayloads } from "../../src/core/base/payload";
import { flood, untilItsEnd } from "../support/flood";
import type { ExportedHistory } from "../support/recorded";
import { agent } from "../support/rig";
import { until } from "../support/until";

/**
 * Programs with their tool calls in every kind of place, on real worker processes: in the middle of each program the
 * worker is killed, and the one that goes on hashes and orders its own way. The value is what an undisturbed run
 * gives, and every call had one effect. Most of what a test takes is waiting until the server notices that its worker is
 * gone: they wait together.
 */
const CONFIG = path.join(__dirname, "programs/navigator.config.cjs");

const signature = "(kind :string, n :int) -> :int";
const TOOLS = [
  { name: "book", signature },
  { name: "look", signature, effect: "read" },
  { name: "final", signature, effect: "irreversible" },
];

/** Every kind of program, the number of its calls, and the call in whose middle the worker dies. */
const KINDS: { [kind: string]: { calls: number; killAt: number } } = {
  map: { calls: 6, killAt: 3 },
  reduce: { calls: 6, killAt: 4 },
  pmap: { calls: 12, killAt: 5 },
  pcalls: { calls: 4, killAt: 2 },
  default: { calls: 2, killAt: 2 },
  thread: { calls: 8, killAt: 6 },
  loop: { calls: 4, killAt: 2 },
};

test.concurrent("killed in the middle of every program, a run gives the same result and calls each tool once", async () => {
  const kinds = new Set(Object.keys(KINDS));
  const [calm, disturbed] = await Promise.all([mission(new Set()), mission(kinds)]);

  expect(calm.kills).toBe(0);
  expect(disturbed.kills).toBe(kinds.size);
  expect(calm.step).toMatchObject({
    return: [
      [0, 3, 6, 9, 12, 15],
      45,
      [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33],
      [3, 6, [9, 12]],
      [3, 5, 24],
      [9, 3],
      18,
    ],
    fail: null,
  });
  expect(disturbed.step.return).toEqual(calm.step.return);
  const calls = Object.fromEntries(Object.entries(KINDS).map(([kind, expected]) => [kind, expected.calls]));
  expect(calm.effects).toEqual(calls);
  expect(disturbed.effects).toEqual(calls);
});

interface Call {
  kind: string;
  n: number;
  key: string;
}

test.concurrent("a killed worker repeats reads up to the next write, a write with its key, and asks about an irreversible call", async () => {
  const calls: Call[] = [];
  const killed = new Set([2, 3, 4, 5]);
  const answer = async (call: Call, replace: () => Promise<void>) => {
    calls.push(call);
    if (killed.delete(call.n)) await replace();
    return call.n;
  };
  const { step, kills, histories } = await served({ SCRIPT: "./effects.yaml" }, answer, {}, async (run) => {
    const asked = await until(async () => (await run.reviews()).find(({ status }) => status === "open"), "it is asked");
    expect(asked).toMatchObject({ data: { code: "unknown_outcome", tool: "final" } });
    await run.decide({ review: asked.id, choice: "did_not_happen", by: "anna" });
  });
  const made = [1, 2, 3, 4, 5].map((n) => calls.filter((call) => call.n === n));
  const losses = lossesOf(histories[0] as ExportedHistory);
  // The first read was over, and lost with the second: reads are not worth a heartbeat of their own. One that comes at its time on a busy machine has it.
  const once = hasAnswers(losses[0]);
  // There a worker that lives may count as lost, too: what was under way comes once more.
  const more = Math.max(0, losses.length - kills);
  const order = calls.map(({ n }) => n);
  expect(more === 0 ? order : [...new Set(order)]).toEqual(
    more === 0 ? [1, 2, ...(once ? [] : [1]), 2, 3, 3, 4, 4, 5] : [1, 2, 3, 4, 5],
  );
  for (const some of made.slice(1, 4)) expect(some.length).toBeGreaterThanOrEqual(2);
  for (const some of made.slice(0, 4)) expect(some.length).toBeLessThanOrEqual(2 + more);
  expect(made[4]).toHaveLength(1);
  expect(made.map((some) => new Set(some.map(({ key }) => key)).size)).toEqual([1, 1, 1, 1, 1]);
  expect(step.return).toContain("it did not happen, anna said");
  expect(step.journal).toEqual({ look_1: 1, look_2: 2, book_3: 3, look_4: 4 });
});

/** The activities whose worker was lost: the next one says so, or a time limit. */
const lossesOf = ({ events }: ExportedHistory): Loss[] =>
  events.flatMap((event) => {
    const ended = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    return ended === undefined ? [] : [ended as Loss];
  });

/** Whether such an activity had sent answers of calls with its last heartbeat. */
function hasAnswers(loss: Loss | undefined): boolean {
  const { applicationFailureInfo: lost, timeoutFailureInfo: late } = loss?.failure ?? {};
  const kept = decodePayloads(lost?.details ?? late?.lastHeartbeatDetails) as { made?: unknown[] } | undefined;
  return (kept?.made ?? []).length > 0;
}

/** An exported activity that has failed. */
interface Loss {
  failure: { applicationFailureInfo?: { details?: unknown }; timeoutFailureInfo?: { lastHeartbeatDetails?: unknown } };
}

/** Each batch has 200 values and 50 writes: 1,500 records, 300 calls. */
const BATCHES = 6;
const RECORDS = BATCHES * 250;

test.concurrent("killed in the middle, a mission of 1,500 records goes on, and loses and repeats nothing", async () => {
  const effects = new Map<number, Set<string>>();
  // The worker dies shortly before the run would continue as new: the replay is never longer.
  const kills = new Set([240]);
  let calls = 0;
  const { step } = await served(
    { SCRIPT: "./records.yaml" },
    async ({ n, key }, replace) => {
      calls += 1;
      effects.set(n, (effects.get(n) ?? new Set()).add(key));
      if (kills.delete(calls)) await replace();
      return n;
    },
    { max_turns: BATCHES + 3, turn_budget: 100, pmap_max_concurrency: 50 },
  );

  expect(step).toMatchObject({ return: RECORDS, fail: null });
  expect(kills.size).toBe(0);
  const { journal } = step;
  expect(Object.keys(journal ?? {})).toHaveLength(RECORDS);
  expect(Array.from({ length: RECORDS }, (_, n) => journal?.[`r${n}`])).toEqual(
    Array.from({ length: RECORDS }, (_, n) => n),
  );
  // A call that was under way is made again with its key.
  expect(effects.size).toBe(RECORDS / 5);
  expect([...effects.values()].filter((keys) => keys.size > 1)).toEqual([]);
});

test.concurrent("killed in the middle of a flood of refused signals, a parked mission goes on, and hears the decision", async () => {
  const { step, histories } = await served(
    { SCRIPT: "./parked.yaml" },
    async ({ n }) => n,
    {},
    async (run, replace) => {
      await until(async () => (await run.status()).state === "waiting", "the mission parks");
      await flood(run.workflow, 200);
      await Promise.all([replace(), flood(run.workflow, 400)]);
      await until(async () => (await run.status()).refused_signals >= 600, "all of them are heard");
      const decided = run.recordDecision({ id: "ok", value: "yes", by: "anna" });
      await Promise.all([flood(run.workflow, 200).catch(untilItsEnd), decided]);
    },
  );
  expect(step).toMatchObject({ return: ["yes", 1], fail: null, journal: { ok: "yes", booked: 1 } });
  // After 300 refused signals a run is followed by another one.
  expect(histories.length).toBeGreaterThan(1);
});

async function mission(kill: Set<string>) {
  const left = new Set(kill);
  const effects: { [kind: string]: number } = {};
  const answers = new Map<string, number>();
  const { step, kills } = await served({}, async ({ kind, n, key }, replace) => {
    if (!answers.has(key)) {
      answers.set(key, n);
      effects[kind] = (effects[kind] ?? 0) + 1;
      // Its effect has happened, and nobody will hear of it.
      if (effects[kind] === KINDS[kind]?.killAt && left.delete(kind)) await replace();
    }
    return answers.get(key) as number;
  });
  return { step, effects, kills };
}

/** Runs the script on worker processes; the service behind its tools answers, and can have the worker replaced. */
async function served(
  env: { [name: string]: string },
  answer: (call: Call, replace: () => Promise<void>) => Promise<number>,
  more: object = {},
  meanwhile?: (run: AgentHandle, replace: () => Promise<void>) => Promise<void>,
) {
  let worker: WorkerProcess | undefined;
  let replacing: Promise<void> = Promise.resolve();
  let kills = 0;
  const taskQueue = `programs-${randomUUID()}`;
  // Connections stay open: one that is closed as a busy worker sends its next call would fail it.
  const service = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const args = JSON.parse(Buffer.concat(chunks).toString()) as { kind: string; n: number };
    const key = String(request.headers["idempotency-key"]);
    response.end(String(await answer({ ...args, key }, replace)));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

  const launch = async () => {
    const seed = kills + 1;
    worker = await startWorkerProcess({
      config: CONFIG,
      taskQueue,
      env: { SERVICE_URL: url, ...env },
      nodeFlags: [`--hash-seed=${seed * 7919}`, `--random-seed=${seed}`],
    });
  };
  const replace = () => {
    replacing = replacing.then(async () => {
      await worker?.kill();
      kills += 1;
      await launch();
    });
    return replacing;
  };

  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string });
  try {
    await launch();
    const client = new NavigatorClient(new Client({ connection }), taskQueue);
    const run = await client.startAgent({ agent: agent({ tools: TOOLS, max_turns: 10, ...more }), model: "scripted" });
    await meanwhile?.(run, replace);
    const step = await run.result();
    const histories = (await client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[];
    return { step, kills, histories };
  } finally {
    await replacing;
    await worker?.stop();
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
    await connection.close();
  }
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { DefaultLogger, NativeConnection, Runtime } from "@temporalio/worker";
import { NavigatorClient } from "../src/client/client";
import { parseAgent } from "../src/core/agent/definition/parse-agent";
import { createModels } from "../src/models";
import { defineTool, ToolRegistry } from "../src/tools";
import { createWorker } from "../src/worker/create-worker";
import { Setting } from "./setting";

const HELP = `Usage: npm run bench:long -- [options]

Shows on a server of its own that long runs stay within the server's limits: one program with very many calls, and a
parked run that is flooded with signals, and whose worker is killed in the middle. Each run of the chain must stay below 10,000 events and 10 MB, no effect may
happen twice, and a person's decision in the middle of the flood is taken.

  --calls <n>     calls of the program, half of them effects, half of them reads; default 20000, 0 = none
  --parallel <n>  branches of its pmap at once; default 50
  --signals <n>   refused signals; default 100000, 0 = none
  --senders <n>   signals that are sent at once; default 20
  --help
`;

const LIMITS = { events: 10_000, bytes: 10 * 1024 * 1024 };
const TASK_QUEUE = "bench-long";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      calls: { type: "string", default: "20000" },
      parallel: { type: "string", default: "50" },
      signals: { type: "string", default: "100000" },
      senders: { type: "string", default: "20" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { logging: { forward: {}, filter: { core: "ERROR", other: "ERROR" } } },
  });
  const setting = await Setting.open([{ name: "flooded", script: FLOODED }], progress);
  const service = await countingService();
  const effects = Number(values.calls) / 2;
  const native = await NativeConnection.connect({ address: setting.address });
  const worker = await createWorker({
    connection: native,
    namespace: "default",
    taskQueue: TASK_QUEUE,
    tools: toolsOf(service.url),
    models: createModels({ env: {}, script: scriptOf(effects) }),
  });
  const running = worker.run();
  try {
    const client = new NavigatorClient(setting.client, TASK_QUEUE);
    if (effects > 0) await manyCalls(client, service, effects, Number(values.parallel));
    if (Number(values.signals) > 0) await flood(setting, Number(values.signals), Number(values.senders));
  } finally {
    worker.shutdown();
    await running;
    await native.close();
    service.close();
    await setting.close();
  }
}

const FLOODED = ["```clojure\n(return {:status :waiting})\n```", '```clojure\n(return (task "ok" nil))\n```'];

const scriptOf = (effects: number) => ({
  calls: [
    `\`\`\`clojure
(return (count (pmap (fn [n] (tool/charge {:n (:n (tool/look {:n n}))})) (range ${effects}))))
\`\`\``,
  ],
});

function agentOf(name: string, more: object) {
  const parsed = parseAgent({ name, prompt: "Go.", ...more });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

async function manyCalls(client: NavigatorClient, service: Service, effects: number, parallel: number): Promise<void> {
  const started = Date.now();
  const tools = toolsOf("").specs();
  const agent = agentOf("calls", { tools, pmap_max_concurrency: parallel, pmap_timeout: null, timeout: 25_000 });
  const run = await client.startAgent({ id: `calls-${started}`, agent, model: "scripted" });
  const step = await run.result();
  progress(`${2 * effects} calls in ${((Date.now() - started) / 1_000).toFixed(0)} s`);
  const seconds = (Date.now() - started) / 1_000;
  const runs = await runsOf(client, run.workflow.workflowId);
  const scheduled = await scheduledKeys(client, run.workflow.workflowId);
  const twice = scheduled.length - new Set(scheduled).size;
  tell("one program with many calls", {
    "calls made": 2 * effects,
    returned: JSON.stringify(step.return),
    "effects at the service": service.charges.size,
    "calls repeated with their key": service.repeats,
    "of them, attempts of Temporal": service.attempts,
    "effects scheduled": scheduled.length,
    "effects scheduled twice": twice,
    "ms a call": ((seconds * 1_000) / (2 * effects)).toFixed(1),
    ...runs,
  });
  check(step.return === effects, "the program returns the number of its effects");
  check(service.charges.size === effects, "each effect happens once");
  check(scheduled.length === effects && twice === 0, "no call is scheduled twice");
}

async function flood(setting: Setting, count: number, senders: number): Promise<void> {
  const queue = setting.queue("flood");
  const client = new NavigatorClient(setting.client, queue);
  let worker = await setting.worker("navigator", queue);
  let kills = 0;
  let signals = count;
  const agent = agentOf("flooded", { tools: [] });
  const run = await client.startAgent({ id: `flooded-${Date.now()}`, agent, model: "scripted" });
  const id = run.workflow.workflowId;
  const handle = client.temporal.workflow.getHandle(id);
  while ((await run.status()).state !== "waiting") await new Promise((resolve) => setTimeout(resolve, 100));
  let refusedByServer = 0;
  let sent = 0;
  const send = async (): Promise<void> => {
    try {
      await handle.signal("recordDecision", { id: "", value: 1, by: "flood" });
    } catch {
      // The server holds signals back while a run is closing, and when one run has too many.
      refusedByServer += 1;
    }
  };
  const started = Date.now();
  const sender = async (): Promise<void> => {
    while (sent < signals) {
      sent += 1;
      if (sent === Math.round(count / 2)) {
        await worker.kill();
        kills += 1;
        worker = await setting.worker("navigator", queue);
      }
      if (sent % 10_000 === 0) progress(`${sent} signals in ${((Date.now() - started) / 1_000).toFixed(0)} s`);
      await send();
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  progress(`${sent} signals in ${((Date.now() - started) / 1_000).toFixed(0)} s; anna decides in the middle of more`);
  signals += 1_000;
  const more = Promise.all(Array.from({ length: senders }, sender));
  const decided = Date.now();
  await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
  const answered = Date.now() - decided;
  await more;
  const step = await run.result();
  tell("a parked run in a flood", {
    "signals sent": sent,
    "workers killed with -9": kills,
    "ms until the decision was answered": answered,
    "signals that the server turned away": refusedByServer,
    seconds: ((Date.now() - started) / 1_000).toFixed(0),
    returned: JSON.stringify(step.return),
    ...(await runsOf(client, id)),
  });
  check(step.return === "yes", "the decision is taken");
}

/** The idempotency keys of all effects that the runs of a chain have scheduled. */
async function scheduledKeys(client: NavigatorClient, id: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { runId } of client.temporal.workflow.list({ query: `WorkflowId = "${id}"` })) {
    const { events } = await client.temporal.workflow.getHandle(id, runId).fetchHistory();
    for (const { activityTaskScheduledEventAttributes: scheduled } of events ?? []) {
      if (scheduled?.activityType?.name !== "callTool") continue;
      const data = scheduled.input?.payloads?.[0]?.data;
      if (data) keys.push((JSON.parse(Buffer.from(data).toString()) as { idempotency_key: string }).idempotency_key);
    }
  }
  return keys;
}

async function runsOf(client: NavigatorClient, id: string): Promise<{ [name: string]: string | number }> {
  const events: number[] = [];
  const bytes: number[] = [];
  const list = client.temporal.workflow.list({ query: `WorkflowId = "${id}"` });
  for await (const run of list) {
    const described = await client.temporal.workflow.getHandle(id, run.runId).describe();
    events.push(described.historyLength);
    bytes.push(described.historySize ?? 0);
  }
  check(Math.max(...events) < LIMITS.events, `no run has ${LIMITS.events} events`);
  check(Math.max(...bytes) < LIMITS.bytes, `no run has ${LIMITS.bytes} bytes`);
  return {
    runs: events.length,
    "events of the longest run": Math.max(...events),
    "bytes of the largest run": Math.max(...bytes),
  };
}

interface Service {
  url: string;
  /** The keys that were charged. */
  charges: Set<string>;
  /** Calls whose key was charged before. They have no effect. */
  repeats: number;
  /** Those of them that Temporal made because the worker seemed lost. */
  attempts: number;
  close(): void;
}

/** Charges each idempotency key once, as a payment service does. */
async function countingService(): Promise<Service> {
  const charges = new Set<string>();
  const service: Service = { url: "", charges, repeats: 0, attempts: 0, close: () => void server.close() };
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    if (charges.has(key)) {
      service.repeats += 1;
      // A busy machine may miss a heartbeat: then Temporal makes another attempt of the same call.
      if (request.headers["x-attempt"] !== "1") service.attempts += 1;
    }
    charges.add(key);
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, { url: `http://127.0.0.1:${port}/` });
}

const toolsOf = (url: string): ToolRegistry =>
  new ToolRegistry([
    defineTool({ name: "look", signature: "(n :int) -> {n :int}", effect: "read", run: ({ n }) => ({ n }) }),
    defineTool({
      name: "charge",
      signature: "(n :int) -> :int",
      run: async ({ n }, { idempotencyKey, attempt }) => {
        const headers = { "idempotency-key": idempotencyKey, "x-attempt": String(attempt) };
        await fetch(url, { method: "POST", headers });
        return n;
      },
    }),
  ]);

let failures = 0;

function check(holds: boolean, what: string): void {
  if (holds) return;
  failures += 1;
  process.stdout.write(`NOT TRUE: ${what}\n`);
}

function tell(title: string, facts: { [name: string]: string | number }): void {
  const lines = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(36)}${value}`);
  process.stdout.write(`${title}\n${lines.join("\n")}\n\n`);
}

const progress = (line: string) => void process.stderr.write(`${line}\n`);

main().then(
  () => process.exit(failures === 0 ? 0 : 1),
  (error: unknown) => {
    progress(`error ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  },
);

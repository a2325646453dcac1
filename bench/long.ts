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
parked run that is flooded with signals. Each run of the chain must stay below 10,000 events and 10 MB, no effect may
happen twice, and a person's decision in the middle of the flood is taken.

  --calls <n>     calls of the program, half of them effects, half of them reads; default 20000, 0 = none
  --parallel <n>  branches of its pmap at once; default 50
  --signals <n>   refused signals; default 100000, 0 = none
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
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { logging: { forward: {}, filter: { core: "ERROR", other: "ERROR" } } },
  });
  const setting = await Setting.open([], progress);
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
    if (Number(values.signals) > 0) await flood(client, Number(values.signals));
  } finally {
    worker.shutdown();
    await running;
    await native.close();
    service.close();
    await setting.close();
  }
}

const scriptOf = (effects: number) => ({
  calls: [
    `\`\`\`clojure
(return (count (pmap (fn [n] (tool/charge {:n (:n (tool/look {:n n}))})) (range ${effects}))))
\`\`\``,
  ],
  flooded: ["```clojure\n(return {:status :waiting})\n```", '```clojure\n(return (task "ok" nil))\n```'],
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
  const twice = [...service.charges.values()].filter((count) => count > 1).length;
  tell("one program with many calls", {
    "calls made": 2 * effects,
    returned: JSON.stringify(step.return),
    "different effects at the service": service.charges.size,
    "effects that came twice": twice,
    "further attempts, with the same key": service.attempts,
    "ms a call": ((seconds * 1_000) / (2 * effects)).toFixed(1),
    ...runs,
  });
  check(step.return === effects, "the program returns the number of its effects");
  check(service.charges.size === effects && twice === 0, "each effect happens once");
}

async function flood(client: NavigatorClient, signals: number): Promise<void> {
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
  while (sent < signals) {
    const batch = Math.min(200, signals - sent);
    await Promise.all(Array.from({ length: batch }, send));
    sent += batch;
  }
  progress(`${sent} signals in ${((Date.now() - started) / 1_000).toFixed(0)} s; anna decides in the middle of more`);
  const more = Promise.all(Array.from({ length: 1_000 }, send));
  await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
  await more;
  const step = await run.result();
  tell("a parked run in a flood", {
    "signals sent before the decision": sent,
    "signals that the server turned away": refusedByServer,
    seconds: ((Date.now() - started) / 1_000).toFixed(0),
    returned: JSON.stringify(step.return),
    ...(await runsOf(client, id)),
  });
  check(step.return === "yes", "the decision is taken");
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
  /** How often each key was charged. */
  charges: Map<string, number>;
  /** Further attempts of calls whose worker seemed lost. */
  attempts: number;
  close(): void;
}

/** Counts by idempotency key, as a payment service would. */
async function countingService(): Promise<Service> {
  const charges = new Map<string, number>();
  const service: Service = { url: "", charges, attempts: 0, close: () => void server.close() };
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    // A busy machine may miss a heartbeat: then Temporal makes another attempt of the same call, with the same key.
    const first = request.headers["x-attempt"] === "1";
    if (!first) service.attempts += 1;
    if (first || !charges.has(key)) charges.set(key, (charges.get(key) ?? 0) + 1);
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

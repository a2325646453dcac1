import { NativeConnection } from "@temporalio/worker";
import { NavigatorClient } from "../../src/client/client";
import { createModels } from "../../src/models";
import { createWorker } from "../../src/worker/create-worker";
import type { Setting } from "../setting";
import { agentOf, check, progress, runsOf, tell } from "./facts";
import { countingService, type Service, toolsOf } from "./service";

/** One program with very many calls: half of them effects, half of them reads. */
export async function manyCalls(setting: Setting, calls: number, parallel: number): Promise<void> {
  const service = await countingService();
  const effects = calls / 2;
  const taskQueue = setting.queue("calls");
  const connection = await NativeConnection.connect({ address: setting.address });
  const worker = await createWorker({
    connection,
    namespace: "default",
    taskQueue,
    tools: toolsOf(service.url),
    models: createModels({ env: {}, script: scriptOf(effects) }),
  });
  const running = worker.run();
  try {
    await oneProgram(new NavigatorClient(setting.client, taskQueue), service, effects, parallel);
  } finally {
    worker.shutdown();
    await running;
    await connection.close();
    service.close();
  }
}

const scriptOf = (effects: number) => ({
  calls: [
    `\`\`\`clojure
(return (count (pmap (fn [n] (tool/charge {:n (:n (tool/look {:n n}))})) (range ${effects}))))
\`\`\``,
  ],
});

async function oneProgram(client: NavigatorClient, service: Service, effects: number, parallel: number): Promise<void> {
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

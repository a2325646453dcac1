import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@temporalio/client";
import { NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker";
import { createModels, parseScript } from "../src/models";
import { collectEverywhere } from "./collect-garbage";
import { benchTools } from "./tools";
import type { FromWorker, ToWorker, WorkerSetup } from "./worker-process";
import { installWorkerRuntime } from "./worker-runtime";

/**
 * The worker of either side. Both sides run the same activities, tools and script: they differ in their workflows and in how the
 * worker is set up.
 */
export async function runWorker(setup: WorkerSetup): Promise<void> {
  const say = (message: FromWorker) => process.send?.(message);
  installWorkerRuntime();
  const connection = await NativeConnection.connect({ address: setup.address });
  const tools = benchTools(setup.hold ? () => say({ event: "in_tool" }) : undefined);
  const script = parseScript(JSON.parse(readFileSync(setup.script, "utf8")), setup.script);
  const models = createModels({ env: {}, script });
  const overrides: Partial<WorkerOptions> = setup.cached === undefined ? {} : { maxCachedWorkflows: setup.cached };
  const common = { connection, namespace: "default", taskQueue: setup.taskQueue };
  const navigator = async () => {
    const { createWorker } = await import("../src/worker/create-worker");
    return createWorker({ ...common, tools, models, callsFolder: setup.keeps ? setup.calls : false, overrides });
  };
  const byHand = async () => {
    const { createActivities } = await import("../src/activities");
    return Worker.create({
      ...common,
      activities: createActivities({ tools, models, client: new Client({ connection }) }),
      workflowBundle: { codePath: setup.bundle },
      ...(setup.tuned ? TUNED : {}),
      ...overrides,
    });
  };
  const worker = await (setup.side === "navigator" ? navigator() : byHand());
  process.on("message", (asked: ToWorker) => {
    if (asked.ask === "stop") worker.shutdown();
    if (asked.ask === "memory") void weigh().then((rss) => say({ event: "memory", rss }));
  });
  // Whoever started us is gone: nobody would end us.
  process.once("disconnect", () => process.exit(0));
  const running = worker.run();
  say({ event: "ready" });
  await running;
  await connection.close();
  process.disconnect?.();
}

/** More than once: what one collection finds dead lets others go, and pages return to the system a little later. */
async function weigh(): Promise<number> {
  for (let times = 0; times < 4; times++) {
    collectEverywhere();
    await sleep(1_000);
  }
  return process.memoryUsage.rss();
}

/** The same as src/worker sets, for those who know these options. */
const TUNED: Partial<WorkerOptions> = { stickyQueueScheduleToStartTimeout: "1s", maxHeartbeatThrottleInterval: "1s" };

import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { NativeConnection } from "@temporalio/worker";
import { createModels, createWorker, defineTool } from "../src/index";
import { LOOK, PAY, PROGRAMS, SUM } from "./blocked-missions";

/** A worker that measures its main thread: when it does not turn, and the processor time between two turns. */
interface Measured {
  calls: number;
  longest_gap_ms: number;
  longest_cpu_ms: number;
}
export type FromBlockedWorker = "ready" | Measured;

const SLOW_PAYMENT_MS = 8_000;
const COMPUTES_MS = 6_000;
let calls = 0;

const tools = [
  defineTool({
    ...PAY,
    run: async ({ n }) => {
      calls += 1;
      await new Promise((resolve) => setTimeout(resolve, SLOW_PAYMENT_MS));
      return n;
    },
  }),
  defineTool({ ...LOOK, run: ({ n }) => n }),
  defineTool({
    ...SUM,
    run: ({ n }) => {
      const until = performance.now() + COMPUTES_MS;
      while (performance.now() < until);
      return n;
    },
  }),
];

/** Of the main thread, ms. */
const cpu = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1_000_000;

async function main(address: string, taskQueue: string): Promise<void> {
  const connection = await NativeConnection.connect({ address });
  const models = createModels({ script: PROGRAMS });
  const worker = await createWorker({ connection, namespace: "default", taskQueue, tools, models, callsFolder: false });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let last = 0;
  let longest_cpu_ms = 0;
  const turn = () => {
    const now = cpu();
    longest_cpu_ms = Math.max(longest_cpu_ms, now - last);
    last = now;
  };
  process.on("disconnect", () => process.exit());
  process.on("message", (message) => {
    if (message === "begin") {
      delay.enable();
      last = cpu();
      setInterval(turn, 5);
    } else process.send?.({ calls, longest_gap_ms: delay.max / 1e6, longest_cpu_ms } satisfies Measured);
  });
  process.send?.("ready");
  await worker.run();
}

void main(process.argv[2] as string, process.argv[3] as string);

import { startWorkflowThread } from "../src/node/sdk-internals/workflow-thread";
import { ACTIVITY_NAMES } from "../src/worker/late-activities";
import type { WorkerSetup } from "./worker-process";

/** One worker in a process of its own. Navigator's has the thread of its workflows started first, as that of the command line does. */
async function main(setup: WorkerSetup): Promise<void> {
  if (setup.side === "navigator") startWorkflowThread(ACTIVITY_NAMES);
  const { runWorker } = await import("./worker-sides");
  await runWorker(setup);
}

main(JSON.parse(process.argv[2] as string) as WorkerSetup).catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});

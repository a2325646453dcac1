import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import workerThreads from "node:worker_threads";
import { startWorkflowThread, takeWorkflowThread } from "../../src/node/sdk-internals/workflow-thread";
import { defineTool } from "../../src/tools";
import { ACTIVITY_NAMES } from "../../src/worker/late-activities";
import { temporaryFolder } from "../support/environment";
import { agent, fenced, openRig, quietRuntime } from "../support/rig";

/** A worker whose thread of workflows was started before it (decision 58). */

const BUNDLE = process.env.NAVIGATOR_TEST_BUNDLE as string;
const pay = defineTool({ name: "pay", signature: "(n :int) -> :int", run: ({ n }) => Number(n) });

/** How often each thread of a process was told to load workflows. */
function listening(): number[] {
  const { Worker } = workerThreads;
  const loads: number[] = [];
  jest.spyOn(workerThreads, "Worker").mockImplementation((file, options) => {
    const thread = new Worker(file, options);
    const number = loads.push(0) - 1;
    const post = thread.postMessage.bind(thread);
    thread.postMessage = (message, ...more) => {
      if (message.input?.type === "init") loads[number] = (loads[number] ?? 0) + 1;
      post(message, ...more);
    };
    return thread;
  });
  return loads;
}

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(quietRuntime);
beforeEach(() => {
  folder = temporaryFolder("early-thread");
});
afterEach(() => {
  jest.restoreAllMocks();
  folder.remove();
});

/** Runs a mission on a worker that is started after an early thread with the bundle of this file. */
async function paid(file: string, worker: { promiseStacks?: boolean } = {}): Promise<number[]> {
  const rig = await openRig({ tools: [pay], script: [fenced("(return {:paid (tool/pay {:n 3})})")] });
  let loads: number[];
  try {
    await rig.stopWorker();
    for (let left = takeWorkflowThread(); left !== undefined; left = takeWorkflowThread())
      await left.thread.terminate();
    loads = listening();
    startWorkflowThread(ACTIVITY_NAMES, file);
    await rig.startWorker(worker);
    const run = await rig.client.startAgent({
      id: randomUUID(),
      agent: agent({ name: "payer", tools: ["pay"] }),
      model: "scripted",
    });
    expect(await run.result()).toMatchObject({ fail: null, return: { paid: 3 } });
  } finally {
    await rig.stop();
  }
  return loads;
}

test("the worker has the thread with the workflows that it has", async () => {
  expect(await paid(BUNDLE)).toEqual([1]);
});

test("a worker of another mode has them loaded anew", async () => {
  expect(await paid(BUNDLE, { promiseStacks: true })).toEqual([2]);
});

test("a worker that ends leaves its thread to the next one", async () => {
  const rig = await openRig({ tools: [pay], script: [fenced("(return {:paid (tool/pay {:n 3})})")] });
  const loads = listening();
  try {
    for (let worker = 0; worker < 3; worker++) {
      await rig.stopWorker();
      await rig.startWorker();
      const run = await rig.client.startAgent({
        id: randomUUID(),
        agent: agent({ name: "payer", tools: ["pay"] }),
        model: "scripted",
      });
      expect(await run.result()).toMatchObject({ fail: null, return: { paid: 3 } });
    }
  } finally {
    await rig.stop();
  }
  expect(loads).toEqual([]);
});

test("where they could not be loaded, the worker starts another thread", async () => {
  const broken = path.join(folder.path, "broken.js");
  const map = Buffer.from(JSON.stringify({ version: 3, sources: [], names: [], mappings: "", file: "broken.js" }));
  const code = "throw new Error('broken') // globalThis.__webpack_module_cache__";
  writeFileSync(broken, `${code}\n//# sourceMappingURL=data:application/json;base64,${map.toString("base64")}`);
  expect(await paid(broken)).toEqual([1, 1]);
});

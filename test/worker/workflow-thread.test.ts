import { once } from "node:events";
import workerThreads from "node:worker_threads";
import type { WorkflowBundle } from "../../src/worker/workflow-bundle";
import { earlyBundle, initOf, startWorkflowThread, takeWorkflowThread } from "../../src/worker/workflow-thread";

const bundle = (code: string): WorkflowBundle => ({
  // The SDK looks for the name.
  code: `${code} // globalThis.__webpack_module_cache__`,
  sourceMap: { version: 3, sources: [], names: [], mappings: "", file: "workflows.js" },
  filename: "workflows.js",
});
const GOOD = bundle("globalThis.__TEMPORAL__ = {}");

test("a thread is for one worker, has the bundle, and takes another one", async () => {
  startWorkflowThread(GOOD);
  startWorkflowThread(bundle("throw new Error('a second thread')"));
  expect(earlyBundle()).toBe(GOOD);
  const taken = await takeWorkflowThread();
  expect(taken?.bundle).toBe(GOOD);
  expect(await takeWorkflowThread()).toBeUndefined();
  const { thread } = taken as { thread: workerThreads.Worker };
  thread.postMessage({ requestId: 0n, input: initOf(bundle("globalThis.__TEMPORAL__ = { another: true }")) });
  expect(await once(thread, "message")).toEqual([{ requestId: 0n, result: { type: "ok" } }]);
  await thread.terminate();
});

test("a thread that could not load its bundle is ended, and none is given", async () => {
  startWorkflowThread(bundle("throw new Error('broken')"));
  expect(await takeWorkflowThread()).toBeUndefined();
  expect(earlyBundle()).toBeUndefined();
});

test("a thread that has ended since it was started is not given", async () => {
  const { Worker } = workerThreads;
  let thread!: workerThreads.Worker;
  jest.spyOn(workerThreads, "Worker").mockImplementationOnce((file) => {
    thread = new Worker(file);
    return thread;
  });
  startWorkflowThread(GOOD);
  await once(thread, "message");
  await thread.terminate();
  expect(await takeWorkflowThread()).toBeUndefined();
});

test("without a build there is no thread", async () => {
  startWorkflowThread(undefined);
  expect(await takeWorkflowThread()).toBeUndefined();
});

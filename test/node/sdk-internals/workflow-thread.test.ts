import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import workerThreads from "node:worker_threads";
import {
  earlyBundle,
  initOf,
  startWorkflowThread,
  takeWorkflowThread,
} from "../../../src/node/sdk-internals/workflow-thread";
import { temporaryFolder } from "../../support/environment";

let folder: ReturnType<typeof temporaryFolder>;
/** Other files of this process may have left some. */
async function endThreads(): Promise<void> {
  for (let early = takeWorkflowThread(); early !== undefined; early = takeWorkflowThread())
    await early.thread.terminate();
}
beforeEach(async () => {
  await endThreads();
  folder = temporaryFolder("workflow-thread");
});
afterEach(async () => {
  await endThreads();
  folder.remove();
});

const MAP = Buffer.from(JSON.stringify({ version: 3, sources: [], names: [], mappings: "", file: "workflows.js" }));

/** A file with a bundle of this code. The SDK looks for the name in it. */
function bundle(code: string): string {
  const file = path.join(folder.path, "workflows.js");
  const map = `//# sourceMappingURL=data:application/json;base64,${MAP.toString("base64")}`;
  writeFileSync(file, `${code} // globalThis.__webpack_module_cache__\n${map}`);
  return file;
}
const GOOD = "globalThis.__TEMPORAL__ = {}";

test("a thread has the bundle of its file, is for one worker, and takes another bundle", async () => {
  const file = bundle(GOOD);
  startWorkflowThread([], file);
  startWorkflowThread([], bundle("throw new Error('a second thread')"));
  expect(earlyBundle(file)?.code).toContain(GOOD);
  expect(earlyBundle(`${file}.other`)).toBeUndefined();
  const taken = takeWorkflowThread() as NonNullable<ReturnType<typeof takeWorkflowThread>>;
  expect(await taken.loaded()).toBe(true);
  expect([takeWorkflowThread(), earlyBundle(file)]).toEqual([undefined, undefined]);
  const { thread } = taken;
  thread.postMessage({ requestId: 0n, input: initOf(taken.init.workflowBundle, ["another"]) });
  expect(await once(thread, "message")).toEqual([{ requestId: 0n, result: { type: "ok" } }]);
  await thread.terminate();
  expect(await taken.loaded()).toBe(false);
});

test("a bundle that does not run is told", async () => {
  startWorkflowThread([], bundle("throw new Error('broken')"));
  const taken = takeWorkflowThread();
  expect(await taken?.loaded()).toBe(false);
  await taken?.thread.terminate();
});

test("a thread that fails after it has loaded is told", async () => {
  const { Worker } = workerThreads;
  let thread!: workerThreads.Worker;
  jest.spyOn(workerThreads, "Worker").mockImplementationOnce((file) => {
    thread = new Worker(file);
    return thread;
  });
  startWorkflowThread([], bundle(GOOD));
  await once(thread, "message");
  thread.emit("error", new Error("out of memory"));
  expect(await takeWorkflowThread()?.loaded()).toBe(false);
  await thread.terminate();
});

test("without a bundle there is no thread", () => {
  startWorkflowThread([], path.join(folder.path, "none.js"));
  expect(takeWorkflowThread()).toBeUndefined();
});

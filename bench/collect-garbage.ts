import { isMainThread, parentPort } from "node:worker_threads";

/**
 * Loaded into every thread of a worker process that is weighed (`node -r`): workflows live in a thread of the SDK's
 * own, whose garbage would be weighed as well. Needs --expose-gc.
 */
const channel = new BroadcastChannel("navigator-bench-collect");

export function collectEverywhere(): void {
  globalThis.gc?.();
  channel.postMessage(null);
}

if (!isMainThread && parentPort) channel.onmessage = () => globalThis.gc?.();
// It must not keep a thread alive that has nothing else to do.
(channel as unknown as { unref(): void }).unref();

import { Subject } from "rxjs";
import { coreHasFailed, runUntilCoreFails } from "../../../src/node/sdk-internals/failed-core";

/** A worker whose core has failed, as the SDK leaves it: `run()` waits for tasks that never end. */
const workerOf = (calls: number) => {
  const unexpectedErrorSubject = new Subject<void>();
  const instantTerminateErrorSubject = new Subject<void>();
  const terminated: unknown[] = [];
  instantTerminateErrorSubject.subscribe({ error: (error: unknown) => terminated.push(error) });
  const worker = {
    unexpectedErrorSubject,
    instantTerminateErrorSubject,
    options: { shutdownGraceTimeMs: 20_000 },
    calls,
    getStatus: () => ({ numInFlightNonLocalActivities: worker.calls }),
  };
  return {
    worker: worker as never,
    state: worker,
    terminated,
    fail: (error: Error) => unexpectedErrorSubject.error(error),
  };
};
const never = () => new Promise<void>(() => {});
const error = new Error("Core refuses the completion");

beforeEach(() => void jest.useFakeTimers({ advanceTimers: true }));
afterEach(() => void jest.useRealTimers());

test("a worker whose core has failed is reported at once, and its run ends with the error", async () => {
  const { worker, terminated, fail } = workerOf(0);
  const running = runUntilCoreFails(worker, never);
  expect(coreHasFailed(worker)).toBe(false);
  fail(error);
  expect(coreHasFailed(worker)).toBe(true);
  await expect(running).rejects.toBe(error);
  expect(terminated).toEqual([error]);
});

test("a worker that ends without help keeps its own end", async () => {
  const { worker, fail } = workerOf(0);
  let end = () => {};
  const running = runUntilCoreFails(worker, () => new Promise<void>((resolve) => (end = resolve)));
  fail(error);
  end();
  await expect(running).resolves.toBeUndefined();
});

import { callsLeft } from "../../src/cli/dev/open-calls";

/** A worker that was stopped, with calls in it. */
const worker = (reads: number, others: number) => ({
  getStatus: () => ({ numInFlightLocalActivities: reads, numInFlightNonLocalActivities: others }) as never,
});
const calls = { all: [{ what: "pay", hasEffect: true, until: 0 }] };

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

test.each([
  ["a call that ignores its signal is named 5 s after the time to drain", worker(0, 1), ["pay"], 25_000],
  ["a read within a workflow task is left at once, in silence", worker(1, 0), [], 20_000],
])("%s", async (_, stopped, expected, ends_at) => {
  let ended_at = -1;
  const left = callsLeft(stopped, calls, 20_000).finally(() => {
    ended_at = Date.now();
  });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await left).toEqual(expected);
  expect(ended_at).toBeGreaterThanOrEqual(ends_at);
  expect(ended_at).toBeLessThanOrEqual(ends_at + 100);
});

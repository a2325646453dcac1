import { sendProgress } from "../../src/mcp/client-features/progress";
import { pollUntil } from "../../src/mcp/client-features/wait";
import type { Call } from "../../src/mcp/context/tool";

/** Long calls: signs of life for who listens, an end in time for everybody. */

type Progress = { progress: number; progressToken: string; message: string };
function call(progressToken?: string) {
  const told: Progress[] = [];
  const gone = new AbortController();
  const extra = {
    signal: gone.signal,
    ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
    sendNotification: async ({ params }: { params: Progress }) => void told.push(params),
  };
  return { told, gone, call: { extra } as unknown as Pick<Call, "extra"> };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("a client with a token gets progress at least every 20 s, in rising numbers, and nothing after the end", () => {
  const { call: given, told } = call("p1");
  const stop = sendProgress(given, () => "under way");
  jest.advanceTimersByTime(61_000);
  stop();
  jest.advanceTimersByTime(60_000);
  expect(told.map(({ progress }) => progress)).toEqual([15, 30, 45, 60]);
  expect(told[0]).toEqual({ progressToken: "p1", progress: 15, message: "under way" });
});

test("a client without a token gets no progress", () => {
  const { call: given, told } = call();
  sendProgress(given, () => "under way")();
  jest.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});

test("no wait is longer than 45 s, however long the request; then it returns nothing", async () => {
  const { call: given } = call();
  const began = Date.now();
  const looks: number[] = [];
  const waiting = pollUntil(given, 3_600_000, async () => {
    looks.push(Date.now() - began);
    return null;
  });
  await jest.advanceTimersByTimeAsync(120_000);
  expect(await waiting).toBeNull();
  expect(looks.at(-1)).toBeLessThanOrEqual(45_000);
  expect(looks.at(-1)).toBeGreaterThan(40_000);
  // Not a storm of questions either.
  expect(looks.length).toBeLessThan(40);
});

test("a cancelled call stops waiting", async () => {
  const { call: given, gone } = call();
  const waiting = pollUntil(given, 40_000, async () => null);
  await jest.advanceTimersByTimeAsync(1_000);
  gone.abort();
  await jest.advanceTimersByTimeAsync(10);
  expect(await waiting).toBeNull();
});

test("a result that exists is returned at once", async () => {
  const { call: given } = call("p1");
  expect(await pollUntil(given, 0, async () => "there")).toBe("there");
});

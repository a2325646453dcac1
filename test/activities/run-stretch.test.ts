import { attemptBegan } from "../../src/activities/attempt-began";
import { stretchActivity } from "../../src/activities/run-stretch";
import { activityEnvironment } from "./environment";

test("a worker that makes no stretches gives back what another one has kept", async () => {
  const kept = [{ input: { name: "pay", idempotency_key: "k1" }, began: 1, at: 2, answer: { ok: true, value: 1 } }];
  const off = stretchActivity(null, async () => ({}) as never);
  const run = (heartbeatDetails?: unknown) =>
    activityEnvironment({ heartbeatDetails }).run(off as never, { n: 1 } as never) as Promise<unknown>;
  expect(await run({ stretch: kept })).toEqual({ stretch: kept, end: "off" });
  expect(await run()).toEqual({ stretch: [], end: "off" });
});

test.each([
  ["asked for at once", 20, 20],
  ["a little earlier by a clock that goes wrong", -500, -500],
  ["that waited for a worker", 60_000, 0],
])("the beginning of an attempt %s", (_, ago, expected) => {
  jest.spyOn(Date, "now").mockReturnValue(1_000_000);
  expect(attemptBegan({ currentAttemptScheduledTimestampMs: 1_000_000 - ago })).toBe(1_000_000 - expected);
  jest.restoreAllMocks();
});

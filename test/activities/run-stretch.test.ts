import type { Client } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { attemptBegan } from "../../src/activities/attempt-clock";
import { stretchActivity } from "../../src/activities/run-stretch";
import { runStretch } from "../../src/core/agent/stretch/run-stretch";
import type { StretchCalls } from "../../src/core/agent/stretch/stretch-host";
import type { StretchInput, StretchResult } from "../../src/core/calls/stretch";
import type { StretchJournal } from "../../src/core/journal/stretch";
import { defineTool, ToolRegistry } from "../../src/tools";
import { readRecorded } from "../support/recorded";
import { activityEnvironment } from "./environment";

test("a worker that makes no stretches gives back what another one has kept", async () => {
  const kept = [{ input: { name: "pay", idempotency_key: "k1" }, began: 1, at: 2, answer: { ok: true, value: 1 } }];
  const off = stretchActivity({ tools: null, documents: undefined }, async () => ({}) as never);
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

/** What a recorded mission asked its worker for: `pay` with 1, 2, 3 and on. */
function recordedInput(): StretchInput {
  const scheduled = readRecorded("stretch-chain.json").events.map(
    (event) =>
      event.activityTaskScheduledEventAttributes as
        | { activityType: { name: string }; input: { payloads: { metadata: { encoding: string }; data: string }[] } }
        | undefined,
  );
  const [payload] = scheduled.find((one) => one?.activityType.name === "runStretch")?.input.payloads ?? [];
  if (payload === undefined) throw new Error("the history has a stretch");
  const bytes = (text: string) => Buffer.from(text, "base64");
  return defaultPayloadConverter.fromPayload({
    metadata: { encoding: bytes(payload.metadata.encoding) },
    data: bytes(payload.data),
  });
}

test("the attempts of a call that ends its worker each time are counted, also where it takes long", async () => {
  const kept: StretchJournal[] = [];
  let hasReported = () => {};
  const client = {
    withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
    activity: { heartbeat: async (_: Uint8Array, details: StretchJournal) => void kept.push(structuredClone(details)) },
    workflow: { getHandle: () => ({ signal: async () => hasReported() }) },
  } as unknown as Client;
  let made = 0;
  const pay = defineTool({
    name: "pay",
    signature: "(n :int) -> :int",
    run: ({ n }) => {
      made += 1;
      // Until the stretch has told of it.
      return new Promise<number>((resolve) => {
        hasReported = () => resolve(Number(n));
      });
    },
  });
  const stretch = stretchActivity({ tools: new ToolRegistry([pay]), documents: undefined }, async () => ({}) as never);
  const attempt = (heartbeatDetails?: unknown, startToCloseTimeoutMs = 600_000) =>
    new MockActivityEnvironment({ heartbeatDetails, startToCloseTimeoutMs }, { client }).run(
      stretch as (input: StretchInput) => Promise<StretchResult>,
      recordedInput(),
    );
  let lost: StretchJournal | undefined;
  for (const attempts of [undefined, 2, 3]) {
    kept.length = 0;
    const result = await attempt(lost);
    expect(result).toMatchObject({ end: "limit", stretch: [{ answer: { ok: true, value: 1 } }] });
    const told = kept.filter(({ reported }) => reported);
    expect(told.map(({ under_way }) => under_way?.attempts)).toEqual(told.map(() => attempts));
    lost = told[0];
    expect(lost).toBeDefined();
  }
  expect(made).toBe(3);
  expect(await attempt(lost)).toMatchObject({ end: "open", attempts: 3 });
  // A call that may outlast its activity is made by itself.
  expect(await attempt(undefined, 300_000)).toEqual({ stretch: [], end: "other", ledger_signature: {} });
  expect(made).toBe(3);
});

test("the time that a run was blocked has moved its time limit once, when it is told", async () => {
  const given = recordedInput();
  const now = given.now;
  const left: (number | undefined)[] = [];
  const calls: StretchCalls = {
    earlier: [],
    make: async (_, __, left_ms) => {
      left.push(left_ms);
      return { end: "limit" };
    },
  };
  const state = { ...given.state, deadline_ms: now + 660_000 };
  await runStretch({ ...given, state, paused_ms: 600_000 }, calls);
  expect(left).toEqual([660_000]);
});

import { ActivityNotFoundError } from "@temporalio/client";
import { SHARED_ATTEMPTS } from "../../src/activities/attempt-shared-call";
import { GIVEN_UP } from "../../src/core/calls/host";
import { BATCH_ANSWER_BYTES, type CallsJournal, type MadeCall } from "../../src/core/calls/run-calls";
import { withInnerCalls } from "../../src/node/telemetry/inner-calls";
import { defineTool, type Tool, type ToolContext, ToolRetry, UnknownOutcome } from "../../src/tools";
import { gate } from "../support/gate";
import { CallsRig, listed, listedInput } from "./calls-rig";

/** Calls of one tool, made by one activity side by side (engine reference, section 17). */

let paid: number[];
beforeEach(() => {
  paid = [];
});

type Run = (n: number, call: ToolContext) => unknown;
const payWith = (run: Run = (n) => n, options: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({
    ...{ name: "pay", signature: "(n :int) -> :any", batch: true },
    ...options,
    run: (args, call) => {
      const n = Number((args as { n: number }).n);
      paid.push(n);
      return run(n, call);
    },
  });

/** Call 2 of three does this; the others answer. */
const second = (run: Run, options = {}): Tool => payWith((n, call) => (n === 2 ? run(n, call) : n), options);
const throwing =
  (error: () => unknown): Run =>
  () => {
    throw error();
  };
const THREE = listedInput(listed(1), listed(2), listed(3));
const answers = (made: readonly MadeCall[]) => made.map(({ n, answer }) => [n, answer.ok ? answer.value : answer.fail]);
const byPlace = (made: readonly MadeCall[]) => [...made].sort((a, b) => a.n - b.n);

test("all are begun before one has ended; each answer has its place, in the order in which they came", async () => {
  const last = gate();
  const tool = payWith(async (n) => {
    if (n === 3) last.open();
    await last.opened;
    return n * 10;
  });
  const rig = new CallsRig([tool]);
  const result = await rig.run(THREE);
  expect(answers(result.made)).toEqual([
    [1, 10],
    [2, 20],
    [3, 30],
  ]);
  expect(result).toMatchObject({ end: "other" });
  expect(result).not.toHaveProperty("open");
  // The input has it: neither the result nor a heartbeat does.
  expect(result.made[0]).not.toHaveProperty("input");
  expect(rig.asked).toBe(0);
});

test("each call has its key, its task and its attempt, and no token", async () => {
  const calls: object[] = [];
  const tool = payWith(
    (_, { idempotencyKey, attempt, task, token }) => void calls.push({ idempotencyKey, attempt, task, token }),
  );
  await new CallsRig([tool]).run(listedInput(listed(1), listed(2, { task: "t" })));
  expect(calls).toEqual([
    { idempotencyKey: "k1", attempt: 1, task: null, token: "" },
    { idempotencyKey: "k2", attempt: 1, task: "t", token: "" },
  ]);
});

test("a failure of one is its answer: the others are made", async () => {
  const { made, end } = await new CallsRig([second(throwing(() => new Error("no money")))]).run(THREE);
  expect(byPlace(made)).toMatchObject([
    { answer: { ok: true } },
    { answer: { ok: false, fail: { message: "no money" } } },
    { answer: { ok: true } },
  ]);
  expect(end).toBe("other");
});

test("a call with a mask in its arguments is not made, and its answer says so", async () => {
  const masked = listed(2, { args: { n: 2, key: "[secret STRIPE_KEY]" } });
  const { made } = await new CallsRig([payWith()]).run(listedInput(listed(1), masked));
  expect(byPlace(made)).toMatchObject([
    { answer: { ok: true } },
    { answer: { ok: false, fail: { details: { code: "secret_in_arguments", secret: "STRIPE_KEY" } } } },
  ]);
  expect(paid).toEqual([1]);
});

describe("heartbeats", () => {
  test("keep each answer while the others are under way, of several answers the last heartbeat has all", async () => {
    const end = gate();
    const rig = new CallsRig([payWith((n) => (n === 3 ? end.opened.then(() => n) : n))]);
    rig.takes = async ({ made }) => {
      if (made.length === 2) end.open();
    };
    await rig.run(THREE);
    expect(rig.kept.find(({ made }) => made.length === 2)).toMatchObject({
      activity: "7",
      n: 1,
      made: [{ n: 1 }, { n: 2 }],
    });
  });

  test("that the server does not take any more stop it: calls under way are given up, and left with their attempts", async () => {
    const rig = new CallsRig([payWith((n) => (n === 1 ? n : new Promise(() => {})))]);
    rig.takes = () => Promise.reject(new ActivityNotFoundError("gone"));
    const { made, end, open } = await rig.run(THREE);
    expect([answers(made), end]).toEqual([[[1, 1]], "open"]);
    expect(open).toEqual([
      { n: 2, attempts: 1 },
      { n: 3, attempts: 1 },
    ]);
  });

  test("are those of the SDK after some seconds", async () => {
    const end = gate();
    const rig = new CallsRig([payWith((n) => (n === 3 ? end.opened.then(() => n) : n))]);
    const running = rig.run(THREE);
    while (rig.bySdk.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(rig.bySdk).toMatchObject([{ made: [{ n: 1 }, { n: 2 }] }]);
    end.open();
    await running;
  });
});

describe("a lost worker", () => {
  const kept: CallsJournal = {
    ...{ activity: "7", n: 1 },
    made: [{ n: 2, began: 1, at: 2, answer: { ok: true, value: "before" } }],
  };

  test("the next attempt makes those without an answer, and counts itself", async () => {
    const { made } = await new CallsRig([payWith()]).run(THREE, { details: kept, attempt: 2 });
    expect(byPlace(made).map(({ n, attempts, answer }) => [n, attempts, answer])).toEqual([
      [1, 2, { ok: true, value: 1 }],
      [2, undefined, { ok: true, value: "before" }],
      [3, 2, { ok: true, value: 3 }],
    ]);
    expect(paid).toEqual([1, 3]);
  });

  test("attempts by activities before it count", async () => {
    const attempts: number[] = [];
    const tool = payWith((_, { attempt }) => void attempts.push(attempt));
    await new CallsRig([tool]).run({ ...THREE, attempts_before: 1 }, { attempt: 2 });
    expect(attempts).toEqual([3, 3, 3]);
  });

  test.each([
    { attempts_before: SHARED_ATTEMPTS, attempt: 1 },
    { attempts_before: 1, attempt: SHARED_ATTEMPTS },
  ])(
    "after $attempts_before lost activities, attempt $attempt makes none: the run makes them alone",
    async ({ attempts_before, attempt }) => {
      const result = await new CallsRig([payWith()]).run({ ...THREE, attempts_before }, { attempt });
      const open = [1, 2, 3].map((n) => ({ n, attempts: SHARED_ATTEMPTS }));
      expect(result).toEqual({ made: [], end: "open", open });
      expect(paid).toEqual([]);
    },
  );

  test("the answers that were kept are given, also where no further call is made", async () => {
    const { made, open } = await new CallsRig([payWith()]).run(THREE, { details: kept, attempt: SHARED_ATTEMPTS + 1 });
    expect([answers(made), open?.map(({ n }) => n)]).toEqual([[[2, "before"]], [1, 3]]);
  });
});

describe("a call without an answer is left to the run, with its attempts:", () => {
  test.each<[string, Tool, object]>([
    [
      "its tool asks for another attempt, after a time",
      second(throwing(() => new ToolRetry("busy", { after_ms: 900 }))),
      { after_ms: 900 },
    ],
    ["its tool asks for another attempt", second(throwing(() => new ToolRetry("busy"))), {}],
    ["it takes longer than its time limit", second(() => new Promise(() => {}), { timeout: "30ms" }), {}],
    [
      "an idempotent call whose outcome is unknown",
      second(
        throwing(() => new UnknownOutcome("no answer")),
        { effect: "idempotent" },
      ),
      {},
    ],
    ["an answer for which there is no room", second(() => "x".repeat(BATCH_ANSWER_BYTES)), {}],
  ])("%s", async (_, tool, more) => {
    const result = await new CallsRig([tool]).run(THREE, { attempt: 2 });
    expect(result).toMatchObject({ end: "open", open: [{ n: 2, attempts: 2, ...more }] });
    expect(result.open).toEqual([{ n: 2, attempts: 2, ...more }]);
    expect(byPlace(result.made).map(({ n }) => n)).toEqual([1, 3]);
  });

  test("what was kept before takes room, too", async () => {
    const value = "x".repeat(BATCH_ANSWER_BYTES / 2);
    const details: CallsJournal = {
      activity: "7",
      n: 1,
      made: [{ n: 1, began: 1, at: 2, answer: { ok: true, value } }],
    };
    const { made, open } = await new CallsRig([payWith(() => value)]).run(THREE, { details });
    expect([made.map(({ n }) => n), open?.map(({ n }) => n)]).toEqual([[1], [2, 3]]);
  });

  test.each<[string, Tool[]]>([
    ["a tool that this worker does not have", []],
    ["a tool whose calls are made alone here", [payWith(undefined, { batch: false, effect: "irreversible" })]],
    ["a tool that has a task queue here", [payWith(undefined, { batch: false, task_queue: "other" })]],
  ])("%s was not begun: nothing is said of it", async (_, tools) => {
    expect(await new CallsRig(tools).run(THREE)).toEqual({ made: [], end: "other" });
    expect(paid).toEqual([]);
  });
});

describe("a time limit", () => {
  test("gives up a call that is over, and no other", async () => {
    const rig = new CallsRig([payWith()]);
    const input = listedInput(listed(1, { left_ms: 0 }), listed(2, { left_ms: 60_000 }), listed(3));
    const { made, end } = await rig.run(input);
    expect(byPlace(made).map(({ answer }) => answer)).toEqual([
      GIVEN_UP,
      { ok: true, value: 2 },
      { ok: true, value: 3 },
    ]);
    expect([paid, end]).toEqual([[2, 3], "other"]);
  });

  test("began when the activity was asked for, however long no worker had it", async () => {
    const scheduledTimestampMs = Date.now() - 60_000;
    const { made } = await new CallsRig([payWith()]).run(listedInput(listed(1, { left_ms: 50_000 })), {
      scheduledTimestampMs,
    });
    expect([made.map(({ answer }) => answer), paid]).toEqual([[GIVEN_UP], []]);
  });

  test("gives up a call under way, and no other", async () => {
    const tool = payWith((n) => (n === 1 ? new Promise(() => {}) : n));
    const { made, end } = await new CallsRig([tool]).run(listedInput(listed(1, { left_ms: 50 }), listed(2)));
    expect(byPlace(made).map(({ answer }) => answer)).toEqual([GIVEN_UP, { ok: true, value: 2 }]);
    expect(end).toBe("other");
  });
});

test("a failure that is none of a tool fails the attempt, after the others have ended and what they gave is kept", async () => {
  const rig = new CallsRig([payWith()]);
  const broken = new Error("no telemetry");
  const run = withInnerCalls(
    (call, work) => (call !== "model" && call.n === 2 ? Promise.reject(broken) : work()),
    () => rig.run(THREE),
  );
  await expect(run).rejects.toThrow("no telemetry");
  expect(byPlace(rig.kept.at(-1)?.made ?? []).map(({ n }) => n)).toEqual([1, 3]);
});

test("a cancellation ends the calls under way", async () => {
  const aborted: number[] = [];
  const tool = payWith((n, { signal }) => {
    if (n === 1) return n;
    if (n === 3) setImmediate(() => rig.cancel());
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        aborted.push(n);
        reject(signal.reason);
      });
    });
  });
  const rig = new CallsRig([tool]);
  const { made, open } = await rig.run(THREE);
  expect([answers(made), open?.map(({ n }) => n), aborted]).toEqual([[[1, 1]], [2, 3], [2, 3]]);
});

import { ActivityCancelledError, ActivityNotFoundError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { RunningCalls } from "../../src/activities/running-calls/running-calls";
import { type CallMaker, runSequence } from "../../src/core/agent/sequence/sequence-host";
import type { Json, JsonObject } from "../../src/core/base/json";
import { applyJsonDelta } from "../../src/core/base/json/json-delta";
import { GIVEN_UP } from "../../src/core/calls/host";
import {
  type CallsJournal,
  MOST_CALLS,
  REPORT_MS,
  type RunAsAsked,
  type RunCallsResult,
  SEQUENCE_BYTES,
  SEQUENCE_CALL_BYTES,
} from "../../src/core/calls/run-calls";
import { knownSecrets } from "../../src/node/secrets/known-secrets";
import { defineTool, LATER, type Tool, type ToolContext, ToolRetry, UnknownOutcome } from "../../src/tools";
import { gate } from "../support/gate";
import { CallsRig, chain, programInput, steppedClock } from "./calls-rig";

/** The calls of a program in one activity (engine reference, section 16). */

let paid: number[];
let advance: (ms: number) => void;
beforeEach(() => {
  paid = [];
  // A busy machine would reach the time limit of a sequence.
  advance = steppedClock();
});
afterEach(() => {
  jest.restoreAllMocks();
});

type Run = (args: JsonObject, call: ToolContext) => unknown;

/** A tool that notes its calls. @param run what it does then; it answers with its number */
const payWith = (run: Run = ({ n }) => Number(n), options: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({
    ...{ name: "pay", signature: "(n :int) -> :any" },
    ...options,
    run: (args, call) => {
      paid.push(Number((args as JsonObject).n));
      return run(args as JsonObject, call);
    },
  });

/** Runs a chain of `pay`. @returns the rig as well */
async function runChain(
  tool: Tool,
  to: number,
  agent: object = {},
): Promise<{ rig: CallsRig; result: RunCallsResult }> {
  const rig = new CallsRig([tool]);
  return { rig, result: await rig.run(await programInput(chain(1, to), [tool], agent)) };
}

/** What each heartbeat has kept: the numbers of the calls with an answer, and of the one that begins. */
const beats = ({ kept }: CallsRig) => kept.map(({ made, under_way }) => [made.map(({ n }) => n), under_way?.n]);

/** Lets the time of the activity pass as soon as a call has begun: it is reported at once. */
function reportsCall(rig: CallsRig, n: number): void {
  rig.takes = async ({ under_way, reported }) => {
    if (under_way?.n === n && reported !== true) advance(REPORT_MS);
  };
}

describe("heartbeats", () => {
  test("keep each answer before the next write", async () => {
    const { rig } = await runChain(payWith(), 3);
    expect(beats(rig)).toEqual([
      [[], 1],
      [[1], 2],
      [[1, 2], 3],
    ]);
  });

  test.each(["read", "idempotent"] as const)(
    "are not waited for by calls of effect %s, which may be repeated",
    async (effect) => {
      const { rig, result } = await runChain(payWith(undefined, { effect }), 3);
      expect([beats(rig), result.made.length]).toEqual([[], 3]);
    },
  );

  test("keep the answer of a write before a call that may be repeated, and then no other", async () => {
    const look = payWith(undefined, { name: "look", effect: "idempotent" });
    const tools = [payWith(), look];
    const rig = new CallsRig(tools);
    const program = "(do (tool/pay {:n 1}) (tool/look {:n 2}) (tool/look {:n 3}) (tool/pay {:n 4}) (return 1))";
    await rig.run(await programInput(program, tools));
    expect(beats(rig)).toEqual([
      [[], 1],
      [[1], 2],
      [[1, 2, 3], 4],
    ]);
  });

  test("that the server does not take end it before the call", async () => {
    const tool = payWith();
    const rig = new CallsRig([tool]);
    rig.takes = async ({ made }) => {
      if (made.length === 1) throw new ActivityNotFoundError("gone");
    };
    const result = await rig.run(await programInput(chain(1, 3), [tool]));
    expect(result).toMatchObject({ made: [{ n: 1 }], end: "stopped" });
    expect(result).not.toHaveProperty("under_way");
    expect(paid).toEqual([1]);
  });
});

/** An expression whose value is longer than the arguments of a call in a sequence may be. */
const LONG_TEXT = `(reduce (fn [text _] (str text text)) "x" (range ${Math.log2(SEQUENCE_CALL_BYTES)}))`;

describe("it ends", () => {
  test(`after ${MOST_CALLS} calls`, async () => {
    const loop = `(do (doseq [n (range ${MOST_CALLS + 5})] (tool/pay {:n n})) (return 1))`;
    const tool = payWith(undefined, { effect: "idempotent" });
    const { made, end } = await new CallsRig([tool]).run(await programInput(loop, [tool]));
    expect([made.length, end]).toEqual([MOST_CALLS, "limit"]);
  });

  test("with its bytes", async () => {
    const { result } = await runChain(
      payWith(() => "x".repeat(SEQUENCE_BYTES / 3)),
      5,
    );
    expect([result.made.length, result.end]).toEqual([3, "limit"]);
  });

  test("after the call in which its time is over, and never before its first call", async () => {
    const advance = steppedClock();
    const { result } = await runChain(
      payWith(() => advance(REPORT_MS) ?? null),
      3,
    );
    expect([result.made.length, result.end]).toEqual([1, "limit"]);
  });

  test.each<[string, string, Tool[]]>([
    ["with arguments that are too large", `(tool/pay {:n 2 :text ${LONG_TEXT}})`, []],
    ["with a tool that it has no more", "(tool/gone {})", [defineTool({ name: "gone", run: () => 1 })]],
    ["with a call that is made alone", "(tool/lone {})", [defineTool({ name: "lone", alone: true, run: () => 1 })]],
    ["with an irreversible call", "(tool/end {})", [defineTool({ name: "end", effect: "irreversible", run: () => 1 })]],
    ["with calls in branches", "(pmap #(tool/pay {:n %}) [2 3])", []],
  ])("%s", async (_, call, others) => {
    const pay = payWith(undefined, { signature: "(n :int, text :string?) -> :any" });
    const known = others.filter(({ spec }) => spec.name !== "gone");
    const rig = new CallsRig([pay, ...known]);
    const input = await programInput(`(do (tool/pay {:n 1}) ${call} (return 1))`, [pay, ...others]);
    expect(await rig.run(input)).toMatchObject({ made: [{ n: 1 }], end: "other" });
    expect(paid).toEqual([1]);
  });

  test("before a call that may outlast the activity", async () => {
    const tool = payWith();
    const rig = new CallsRig([tool]);
    const input = await programInput(chain(1, 2), [tool]);
    expect(await rig.run(input, { startToCloseTimeoutMs: 300_000 })).toEqual({ made: [], end: "other" });
    const short = payWith(undefined, { timeout: "1s" });
    const shorter = await programInput(chain(1, 2), [short]);
    expect((await new CallsRig([short]).run(shorter, { startToCloseTimeoutMs: 300_000 })).made).toHaveLength(2);
    expect(paid).toEqual([1, 2]);
  });
});

describe("a call without an answer is left to the run, with its attempts:", () => {
  const throwing =
    (error: () => unknown): Run =>
    () => {
      throw error();
    };

  test.each<[string, Tool, object]>([
    [
      "its tool asks for another attempt, after a time",
      payWith(throwing(() => new ToolRetry("busy", { after_ms: 900 }))),
      { after_ms: 900 },
    ],
    ["its tool asks for another attempt", payWith(throwing(() => new ToolRetry("busy"))), {}],
    ["a failure that Temporal may retry", payWith(throwing(() => ApplicationFailure.retryable("busy"))), {}],
    ["it takes longer than its time limit", payWith(() => new Promise(() => {}), { timeout: "20ms" }), {}],
    [
      "an idempotent call whose outcome is unknown",
      payWith(
        throwing(() => new UnknownOutcome("no answer")),
        { effect: "idempotent" },
      ),
      {},
    ],
    [
      "an answer that no heartbeat has room for",
      payWith(({ n }) => "x".repeat(Number(n) === 1 ? SEQUENCE_BYTES / 2 : 1_880_000)),
      {},
    ],
  ])("%s", async (it, tool, more) => {
    const { result } = await runChain(tool, 2);
    const n = it.startsWith("an answer") ? 2 : 1;
    expect(result).toMatchObject({ end: "open", open: [{ n, attempts: 1, ...more }], under_way: { n } });
    expect(result.open).toEqual([{ n, attempts: 1, ...more }]);
    expect(result.made).toHaveLength(n - 1);
    expect(paid).toEqual(n === 1 ? [1] : [1, 2]);
  });
});

describe("an answer of a tool", () => {
  test("that fails is one: the program continues", async () => {
    const failing = payWith(() => {
      throw new Error("no money");
    });
    const { result } = await runChain(failing, 1);
    expect(result.made).toMatchObject([{ answer: { ok: false, fail: { message: "no money" } } }]);
  });

  test("whose outcome nobody knows is one of a write, as in a call alone", async () => {
    const { result } = await runChain(
      payWith(() => {
        throw new UnknownOutcome("no answer");
      }),
      1,
    );
    expect(result.made).toMatchObject([{ answer: { ok: false, fail: { details: { code: "unknown_outcome" } } } }]);
  });

  test("that should come later, of a tool that has not declared it, is a failure", async () => {
    const { result } = await runChain(
      payWith(() => LATER as unknown as Json),
      1,
    );
    expect(result.made).toMatchObject([
      { answer: { ok: false, fail: { reason: "tool_error", message: expect.stringContaining("completesLater") } } },
    ]);
  });

  test("has masks in the places of secrets, in the result and in the heartbeat", async () => {
    knownSecrets.add("SEQUENCE_KEY", "sk_sequence_1234567890");
    const { rig, result } = await runChain(
      payWith(({ n }) => `key sk_sequence_1234567890 ${n}`),
      2,
    );
    expect(result.made.map(({ answer }) => answer)).toEqual([
      { ok: true, value: "key [secret SEQUENCE_KEY] 1" },
      { ok: true, value: "key [secret SEQUENCE_KEY] 2" },
    ]);
    expect(JSON.stringify([rig.kept, result])).not.toContain("sk_sequence");
  });
});

describe("the time of the mission", () => {
  const LIMIT_MS = 100;
  const limited = { mission_timeout: LIMIT_MS };
  const asked = Date.now();
  let date: jest.SpyInstance<number, []>;
  beforeEach(() => {
    date = jest.spyOn(Date, "now").mockReturnValue(asked);
  });

  test("ends a call under way, and its answer says so", async () => {
    const { result } = await runChain(
      payWith(() => new Promise(() => {})),
      2,
      limited,
    );
    expect(result.made).toMatchObject([{ n: 1, began: asked, at: asked + LIMIT_MS, answer: GIVEN_UP }]);
    expect(paid).toEqual([1]);
  });

  test("a call is not made after it", async () => {
    const tool = payWith();
    const rig = new CallsRig([tool]);
    const input = await programInput(chain(1, 2), [tool], limited);
    // This attempt begins later than the run asked for it.
    const began = asked + LIMIT_MS;
    date.mockReturnValue(began);
    const { made } = await rig.run(input);
    expect(made).toMatchObject([{ n: 1, began, at: began, answer: GIVEN_UP }]);
    expect(paid).toEqual([]);
  });

  test("is moved once by the time that the run was blocked", async () => {
    const given = await programInput(chain(1, 1), [payWith()]);
    const { run, state } = applyJsonDelta({}, given.run?.delta) as unknown as RunAsAsked;
    const left: (number | undefined)[] = [];
    const calls: CallMaker = {
      earlier: [],
      make: async (_, __, left_ms) => {
        left.push(left_ms);
        return { end: "limit" };
      },
    };
    const moved = { ...state, deadline_ms: given.now + 660_000 };
    await runSequence({ ...given, run, state: moved, paused_ms: 600_000 }, calls);
    expect(left).toEqual([660_000]);
  });
});

describe("a worker that the server gave up, and that lives", () => {
  /** The server gives up an attempt while its second call is under way. @returns what the run gets of it */
  async function givenUp(rig: CallsRig, tool: Tool, running: RunningCalls): Promise<CallsJournal> {
    rig.described = async () => ({ status: { name: "RUNNING" } });
    rig.takes = async ({ under_way }) => {
      if (under_way?.n === 2) rig.giveUp();
    };
    const input = await programInput(chain(1, 2), [tool]);
    await rig.run(input, { running }).catch(() => {});
    return rig.kept.find(({ under_way }) => under_way?.n === 2) as CallsJournal;
  }

  test.each(["write", "idempotent"] as const)(
    "the next activity gets the answer of a %s call that still ran, and its signal was not aborted",
    async (effect) => {
      const [answer, running] = [gate(), new RunningCalls()];
      const signals: AbortSignal[] = [];
      const run: Run = async ({ n }, { signal }) => {
        if (n === 1) return 1;
        signals.push(signal);
        await answer.opened;
        return "late";
      };
      // The first call makes the activity keep the second one before it begins.
      const tool = payWith(run, { effect });
      const rig = new CallsRig([tool]);
      const journal = await givenUp(rig, tool, running);
      const input = { ...(await programInput(chain(1, 2), [tool])), kept: journal };
      const again = new CallsRig([tool]).run(input, { running });
      answer.open();
      expect((await again).made.map(({ answer: one }) => one)).toEqual([
        { ok: true, value: 1 },
        { ok: true, value: "late" },
      ]);
      expect([paid, signals[0]?.aborted]).toEqual([[1, 2], false]);
    },
  );
});

describe("a lost worker", () => {
  /** What its heartbeat has when call 3 is under way. */
  async function keptBefore(tool: Tool, call: number): Promise<CallsJournal> {
    const { rig } = await runChain(tool, call);
    paid.length = 0;
    return rig.kept.find(({ under_way }) => under_way?.n === call) as CallsJournal;
  }

  test("the next attempt makes no call that has an answer, and the one that was under way once more", async () => {
    const tool = payWith();
    const kept = await keptBefore(tool, 3);
    const rig = new CallsRig([tool]);
    const { made } = await rig.run(await programInput(chain(1, 4), [tool]), { details: kept });
    expect([paid, made.map(({ n }) => n)]).toEqual([
      [3, 4],
      [1, 2, 3, 4],
    ]);
    expect(made.map(({ attempts }) => attempts)).toEqual([undefined, undefined, 2, undefined]);
  });

  test("the next activity begins with the call that was under way, whose attempts count", async () => {
    const tool = payWith();
    const { under_way } = await keptBefore(tool, 1);
    const lost = { ...(under_way as NonNullable<typeof under_way>), attempts: 2 };
    const input = await programInput(chain(1, 2), [tool]);
    const kept: CallsJournal = { activity: "", n: 2, made: [], under_way: lost };
    const { made } = await new CallsRig([tool]).run({ ...input, kept });
    expect(made.map(({ attempts }) => attempts)).toEqual([3, undefined]);
  });

  test("an attempt that was lost counts also where the next activity is stopped before the call", async () => {
    const tool = payWith();
    const { under_way } = await keptBefore(tool, 1);
    const rig = new CallsRig([tool]);
    rig.takes = () => Promise.reject(new ActivityCancelledError("stopped"));
    const kept = { activity: "", n: 2, made: [], under_way } as CallsJournal;
    const result = await rig.run({ ...(await programInput(chain(1, 2), [tool])), kept });
    expect(result).toEqual({ made: [], end: "stopped", under_way });
    expect(paid).toEqual([]);
  });

  test("attempts of another call do not count", async () => {
    const tool = payWith();
    const { under_way } = await keptBefore(tool, 2);
    const input = await programInput(chain(1, 1), [tool]);
    const kept = { activity: "", n: 2, made: [], under_way } as CallsJournal;
    expect((await new CallsRig([tool]).run({ ...input, kept })).made[0]).not.toHaveProperty("attempts");
  });

  test("a call that was kept is not the one that the program asks for: its answer is not used", async () => {
    const tool = payWith();
    const kept = await keptBefore(tool, 2);
    const result = await new CallsRig([tool]).run(await programInput(chain(7, 8), [tool]), { details: kept });
    expect(result).toMatchObject({ made: [], end: "other" });
    expect(paid).toEqual([]);
  });

  test("the attempts of a call that ends its worker each time are counted, also where it takes long", async () => {
    const rig = () => {
      const one = new CallsRig([tool]);
      reportsCall(one, 1);
      one.reported = () => hasReported();
      return one;
    };
    let hasReported = () => {};
    // Until the activity has reported.
    const tool = payWith(({ n }) => new Promise<number>((resolve) => (hasReported = () => resolve(Number(n)))));
    const input = await programInput(chain(1, 2), [tool]);
    let lost: CallsJournal | undefined;
    for (const attempts of [undefined, 2, 3]) {
      const one = rig();
      const result = await one.run(input, { details: lost });
      expect(result).toMatchObject({ end: "limit", made: [{ answer: { ok: true, value: 1 } }] });
      const reports = one.kept.filter(({ reported }) => reported);
      expect(reports.map(({ under_way }) => under_way?.attempts)).toEqual(reports.map(() => attempts));
      expect(one.signals).toEqual([["callsReported", { n: 1 }]]);
      lost = reports[0];
      expect(lost).toBeDefined();
    }
    expect(paid).toEqual([1, 1, 1]);
    const result = await rig().run(input, { details: lost });
    expect(result).toMatchObject({ made: [], end: "open", open: [{ n: 1, attempts: 3 }], under_way: { attempts: 3 } });
    expect(paid).toEqual([1, 1, 1]);
  });
});

describe("a call that takes long", () => {
  /** Call 2 of three takes until this is opened. */
  function slow() {
    const answer = gate();
    const tool = payWith(async ({ n }) => {
      if (Number(n) === 2) await answer.opened;
      return Number(n);
    });
    const rig = new CallsRig([tool]);
    reportsCall(rig, 2);
    return { answer, tool, rig };
  }

  test("is reported with the answers before it; no call follows it", async () => {
    const { rig, tool, answer } = slow();
    rig.reported = answer.open;
    const result = await rig.run(await programInput(chain(1, 3), [tool]));
    expect(result).toMatchObject({ made: [{ n: 1 }, { n: 2 }], end: "limit" });
    expect(rig.signals).toEqual([["callsReported", { n: 1 }]]);
    expect(rig.kept.find(({ reported }) => reported)).toMatchObject({ made: [{ n: 1 }], under_way: { n: 2 } });
    expect(paid).toEqual([1, 2]);
  });

  test("leaves the heartbeats to the SDK when it was reported", async () => {
    const { rig, tool, answer } = slow();
    const running = rig.run(await programInput(chain(1, 3), [tool]));
    while (rig.bySdk.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rig.signals).toHaveLength(1);
    expect(rig.bySdk).toMatchObject([{ reported: true, under_way: { n: 2 } }]);
    answer.open();
    await running;
  });

  test("is not reported by an activity that the server does not know any more", async () => {
    const { rig, tool, answer } = slow();
    const { takes } = rig;
    rig.takes = async (details) => {
      if (details.reported) throw new ActivityNotFoundError("gone");
      await takes(details);
    };
    const result = await rig.run(await programInput(chain(1, 3), [tool]));
    answer.open();
    expect(result).toMatchObject({ made: [{ n: 1 }], end: "stopped", under_way: { n: 2 } });
    expect(rig.signals).toEqual([]);
  });

  test("of a run that cannot be reached is made to its end", async () => {
    const { rig, tool, answer } = slow();
    rig.reported = () => {
      answer.open();
      throw new Error("no run");
    };
    const result = await rig.run(await programInput(chain(1, 3), [tool]));
    expect(result).toMatchObject({ made: [{ n: 1 }, { n: 2 }], end: "limit" });
    expect(rig.logged).toEqual(["calls_not_reported"]);
  });
});

describe("an activity that shall stop", () => {
  test("for a pause makes the call under way, and no other", async () => {
    const tool = payWith(({ n }) => {
      if (Number(n) === 2) rig.cancel();
      return Number(n);
    });
    const rig = new CallsRig([tool]);
    const result = await rig.run(await programInput(chain(1, 3), [tool]));
    expect(result).toMatchObject({ made: [{ n: 1 }, { n: 2 }], end: "stopped" });
    expect(result).not.toHaveProperty("under_way");
  });

  test("with its run gives up the call under way", async () => {
    const tool = payWith(
      (_, { signal }) =>
        new Promise((__, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
          rig.cancel();
        }),
    );
    const rig = new CallsRig([tool]);
    rig.isRunCancelled = true;
    const result = await rig.run(await programInput(chain(1, 2), [tool]));
    expect(result).toMatchObject({ made: [], end: "stopped", under_way: { n: 1 } });
    expect(paid).toEqual([1]);
  });

  test("with its worker gives up the call under way, also of a tool that ignores the signal", async () => {
    const tool = payWith(() => {
      rig.shutDown();
      return new Promise(() => {});
    });
    const rig = new CallsRig([tool]);
    const result = await rig.run(await programInput(chain(1, 2), [tool]));
    expect(result).toMatchObject({ made: [], end: "stopped", under_way: { n: 1 } });
  });

  test("learns that from a heartbeat, too", async () => {
    const tool = payWith();
    const rig = new CallsRig([tool]);
    rig.takes = async ({ under_way }) => {
      if (under_way?.n === 2) throw new ActivityCancelledError("stopped");
    };
    const result = await rig.run(await programInput(chain(1, 3), [tool]));
    expect(result).toMatchObject({ made: [{ n: 1 }], end: "stopped" });
    expect(paid).toEqual([1]);
  });
});

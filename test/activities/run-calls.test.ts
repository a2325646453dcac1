import { ActivityCancelledError } from "@temporalio/client";
import { CancelledFailure } from "@temporalio/common";
import { attemptBegan } from "../../src/activities/attempt-clock";
import type { CallsJournal, RunCallsInput } from "../../src/core/calls/run-calls";
import { knownSecrets } from "../../src/node/secrets/known-secrets";
import { defineTool } from "../../src/tools";
import { gate } from "../support/gate";
import { CallsRig, chain, chainReply, MODEL, modelInput, placeOf, programInput, steppedClock } from "./calls-rig";

/** The activity asks a model, or no model, and makes calls; heartbeats keep what it has (engine reference, section 16). */

let paid: number[];
beforeEach(() => {
  paid = [];
  // A busy machine would reach the time limit of a sequence.
  steppedClock();
});
afterEach(() => {
  jest.restoreAllMocks();
});
const pay = defineTool({
  name: "pay",
  signature: "(n :int) -> :int",
  run: ({ n }) => {
    paid.push(Number(n));
    return Number(n);
  },
});
const final = defineTool({ name: "final", effect: "irreversible", run: () => "done" });

const HEAD = { seq: 3, hash: "a".repeat(43), at: 1_700_000_000_000 };
const ALONE: RunCallsInput = { ...placeOf(), model: MODEL };

test.each([
  ["asked for at once", 20, 20],
  ["a little earlier by a clock that goes wrong", -500, -500],
  ["that waited for a worker", 60_000, 0],
])("the beginning of an attempt %s", (_, ago, expected) => {
  jest.spyOn(Date, "now").mockReturnValue(1_000_000);
  expect(attemptBegan({ currentAttemptScheduledTimestampMs: 1_000_000 - ago })).toBe(1_000_000 - expected);
});

describe("a model alone", () => {
  test("gives its reply, with the model that was asked where the provider names none, and no time", async () => {
    const rig = new CallsRig([]);
    rig.reply = "Hello.";
    expect(await rig.run(ALONE)).toEqual({ reply: { content: "Hello.", model: "own" }, made: [], end: "other" });
    expect([rig.asked, rig.signals]).toEqual([1, []]);
  });

  test("a reply that an attempt before has kept is not asked for again", async () => {
    const rig = new CallsRig([]);
    const reply = { content: "Hello.", model: "own" };
    const details: CallsJournal = { activity: "7", n: 1, made: [], reply, replied_at: 5 };
    expect(await rig.run(ALONE, { details, attempt: 2 })).toEqual({ reply, made: [], end: "other" });
    expect(rig.asked).toBe(0);
  });

  test("a reply has masks in the places of secrets, as its workflow will have it", async () => {
    knownSecrets.add("RUN_CALLS_KEY", "sk_run_calls_1234567890");
    const rig = new CallsRig([]);
    rig.reply = "The key is sk_run_calls_1234567890.";
    expect((await rig.run(ALONE)).reply?.content).toBe("The key is [secret RUN_CALLS_KEY].");
  });

  test("is given up a moment after the time of the mission, also by a provider that ignores the abort", async () => {
    const rig = new CallsRig([]);
    const answer = gate();
    rig.thinks = () => answer.opened;
    await expect(rig.run({ ...ALONE, left_ms: 20 })).rejects.toMatchObject({
      ...{ type: "mission_timeout", nonRetryable: true },
    });
    answer.open();
  });

  test("a longer time than that of the activity limits nothing", async () => {
    const rig = new CallsRig([]);
    rig.reply = "Hello.";
    const input = { ...ALONE, left_ms: 2 ** 40 };
    expect((await rig.run(input)).reply?.content).toBe("Hello.");
  });

  test("ends with its cancellation", async () => {
    const rig = new CallsRig([]);
    const answer = gate();
    rig.thinks = async () => {
      rig.cancel();
      await answer.opened;
    };
    await expect(rig.run(ALONE)).rejects.toThrow(CancelledFailure);
    answer.open();
    expect(rig.signals).toEqual([]);
  });
});

describe("the end of the run's chain", () => {
  const signing = (sign: () => Promise<string | null>) => new CallsRig([pay], { sign });

  test.each<[string, () => Promise<RunCallsInput>]>([
    ["a model alone", async () => ALONE],
    ["a model, and calls after its reply", () => modelInput([pay])],
    ["calls of a program", () => programInput(chain(1, 2), [pay])],
    ["calls side by side", async () => ({ ...placeOf(), calls: [] })],
  ])("is signed with the result of %s", async (_, given) => {
    const rig = signing(async () => "signed");
    rig.reply = chainReply(1, 2);
    const input = await given();
    expect((await rig.run({ ...input, ledger_head: HEAD })).ledger_signature).toBe("signed");
    expect(await rig.run(input)).not.toHaveProperty("ledger_signature");
  });

  test("is signed in the heartbeat as well, beside the reply: a report and a lost worker have both", async () => {
    const rig = signing(async () => "signed");
    rig.reply = chainReply(1, 1);
    await rig.run({ ...(await modelInput([pay])), ledger_head: HEAD });
    expect(rig.kept).toMatchObject([{ reply: { content: rig.reply }, ledger_signature: "signed" }]);
    await rig.run({ ...(await programInput(chain(1, 1), [pay])), ledger_head: HEAD });
    expect(rig.kept[1]).not.toHaveProperty("ledger_signature");
  });

  test("a signature that fails fails before anything is asked or called", async () => {
    const rig = signing(() => Promise.reject(new Error("no key")));
    await expect(rig.run({ ...ALONE, ledger_head: HEAD })).rejects.toThrow("no key");
    const program = { ...(await programInput(chain(1, 2), [pay])), ledger_head: HEAD };
    await expect(rig.run(program)).rejects.toThrow("no key");
    expect([rig.asked, paid]).toEqual([0, []]);
  });
});

describe("who was cancelled", () => {
  // A server that is asked shows it in one of two ways.
  test.each<[string, object, object, boolean]>([
    ["the run", { workflowExtendedInfo: { cancelRequested: true } }, {}, true],
    ["the activity alone", { workflowExtendedInfo: { cancelRequested: false } }, {}, false],
    ["the run, on a server that does not show it", {}, { NavigatorStatus: ["RUNNING"] }, true],
    [
      "the activity alone of a paused run, on a server that does not show it",
      {},
      { NavigatorStatus: ["PAUSED"] },
      false,
    ],
  ])("%s", async (_, raw, searchAttributes, endsAtOnce) => {
    const answer = gate();
    const slow = defineTool({
      name: "pay",
      signature: "(n :int) -> :int",
      run: async ({ n }) => {
        rig.cancel();
        await answer.opened;
        return Number(n);
      },
    });
    const rig = new CallsRig([slow]);
    rig.described = async () => {
      if (!endsAtOnce) answer.open();
      return { raw, searchAttributes };
    };
    const result = await rig.run(await programInput(chain(1, 2), [slow]));
    answer.open();
    expect(result).toMatchObject({ made: endsAtOnce ? [] : [{ n: 1 }], end: "stopped" });
  });
});

describe("after the reply of a model", () => {
  let rig: CallsRig;
  let input: RunCallsInput;
  beforeEach(async () => {
    rig = new CallsRig([pay, final]);
    rig.reply = chainReply(1, 2);
    input = await modelInput([pay, final]);
  });

  test("the reply is kept before the first call, and each answer before the next", async () => {
    const { reply, made, end, replied_at } = await rig.run(input);
    expect([reply?.content, paid, made.map(({ n }) => n), end]).toEqual([rig.reply, [1, 2], [1, 2], "other"]);
    expect(replied_at).toBeGreaterThanOrEqual(input.now);
    expect(made[0]?.began).toBeGreaterThanOrEqual(Number(replied_at));
    expect(rig.kept.map((kept) => [kept.reply?.content, kept.made.length, kept.under_way?.input?.args])).toEqual([
      [rig.reply, 0, { n: 1 }],
      [rig.reply, 1, { n: 2 }],
    ]);
    expect(rig.kept.map(({ activity, n }) => [activity, n])).toEqual([
      ["7", 1],
      ["7", 1],
    ]);
  });

  test.each([
    // A model that is asked again may ask for another effect.
    { effect: "idempotent", beats: [[0, 1]] },
    { effect: "read", beats: [] },
  ] as const)("a first call of effect $effect: heartbeats that it waits for: $beats", async ({ effect, beats }) => {
    const tool = defineTool({ name: "pay", signature: "(n :int) -> :int", effect, run: ({ n }) => Number(n) });
    const one = new CallsRig([tool]);
    one.reply = chainReply(1, 3);
    expect((await one.run(await modelInput([tool]))).made).toHaveLength(3);
    expect(one.kept.map(({ made, under_way }) => [made.length, under_way?.n])).toEqual(beats);
  });

  test("neither the next attempt nor the next activity asks the model again, or makes a call that has an answer", async () => {
    await rig.run(input);
    const [, second] = rig.kept;
    rig.reply = "another";
    for (const again of [rig.run({ ...input, kept: second as CallsJournal }), rig.run(input, { details: second })]) {
      const { reply, made } = await again;
      expect([reply?.content, made.length]).toEqual([chainReply(1, 2), 2]);
    }
    expect([rig.asked, paid]).toEqual([1, [1, 2, 2, 2]]);
  });

  test("what this attempt has kept wins over what an activity before it has", async () => {
    await rig.run(input);
    const [first, second] = rig.kept;
    await rig.run({ ...input, kept: first as CallsJournal }, { details: second });
    expect(paid).toEqual([1, 2, 2]);
  });

  test("a program without a call of these tools is the run's: the reply has its time, and no call", async () => {
    rig.reply = "```clojure\n(return 1)\n```";
    expect(await rig.run(input)).toMatchObject({ made: [], end: "other", replied_at: expect.any(Number) });
  });

  test("a worker that cannot know the run gives what was kept, with the call that was begun", async () => {
    await rig.run(input);
    const [begun, second] = rig.kept;
    const other = new CallsRig([pay, final]);
    const unknown = { ...input, run: { base: 7 } };
    expect(await other.run(unknown, { details: begun })).toMatchObject({
      ...{ made: [], end: "stopped", replied_at: expect.any(Number) },
      under_way: { began: expect.any(Number) },
    });
    expect(await other.run(unknown, { details: second })).toMatchObject({ made: [{ answer: { ok: true, value: 1 } }] });
    expect([other.asked, paid]).toEqual([0, [1, 2]]);
  });

  test("a worker that cannot know the run asks its model all the same: the run makes its calls", async () => {
    // Another worker has the run, and the run cannot be asked.
    const result = await rig.run({ ...input, run: { base: 7 } });
    expect(result).toEqual({ reply: { content: rig.reply, model: "own" }, made: [], end: "other" });
    expect(paid).toEqual([]);
  });

  test("a run that cannot be opened here costs no second reply: its calls are the run's", async () => {
    const result = await rig.run({ ...input, run: { base: 0, delta: { is: { run: {}, state: {} } } } });
    expect(result).toEqual({ reply: { content: rig.reply, model: "own" }, made: [], end: "other" });
    expect([rig.asked, rig.logged]).toEqual([1, ["calls_after_reply_failed"]]);
  });

  test("a worker that makes no calls of programs gives that as the reason, with what another one has kept", async () => {
    const off = new CallsRig([pay], { sequences: false });
    off.reply = rig.reply;
    expect(await off.run(input)).toMatchObject({ reply: { content: rig.reply }, made: [], end: "off" });
    await rig.run(input);
    expect(await off.run(input, { details: rig.kept[1] })).toMatchObject({ made: [{ n: 1 }], end: "off" });
    expect(paid).toEqual([1, 2]);
  });

  test("a cancellation for the calls alone is reported once while the model thinks, and the reply is given", async () => {
    // The heartbeats have their own times.
    jest.restoreAllMocks();
    rig.thinks = async () => {
      rig.cancel();
      // It is asked again while the model thinks, because the run may be cancelled later.
      while (rig.describes < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const sent = () => rig.kept.length + rig.bySdk.length;
      for (const before = sent(); sent() === before; ) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    expect(await rig.run(input)).toMatchObject({ reply: { content: rig.reply }, made: [], end: "stopped" });
    expect([rig.signals, paid]).toEqual([[["callsReported", { n: 1 }]], []]);
    // The run reads from the heartbeat that no call follows.
    expect(rig.kept.at(-1)).toEqual({ activity: "7", n: 1, made: [], reported: true });
  });

  test("a cancelled run ends the call of its model, which nobody waits for", async () => {
    const answer = gate();
    rig.isRunCancelled = true;
    rig.thinks = async () => {
      rig.cancel();
      await answer.opened;
    };
    await expect(rig.run(input)).rejects.toThrow("CANCELLED");
    answer.open();
    expect([rig.signals, paid]).toEqual([[], []]);
  });

  test("a cancellation after the reply ends it before the next call", async () => {
    rig.takes = async ({ made }) => {
      if (made.length === 1) throw new ActivityCancelledError("stopped");
    };
    const { end, made } = await rig.run(input);
    expect([end, made.length, paid, rig.signals]).toEqual(["stopped", 1, [1], []]);
  });

  test("one that still asks for the run of a kept reply does not report that it makes no calls", async () => {
    await rig.run(input);
    const conversation = { ...MODEL.conversation, base: 1, version: 2 };
    const other = new CallsRig([pay, final]);
    other.answers = async () => {
      other.cancel();
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error("nobody answers");
    };
    const next = { ...input, model: { ...MODEL, conversation }, run: { base: 7 }, kept: rig.kept[1] as CallsJournal };
    expect([(await other.run(next)).made.length, other.signals]).toEqual([1, []]);
  });
});

describe("calls of a program", () => {
  test("without a model: those that follow each other, until it asks for a call that is made alone", async () => {
    const rig = new CallsRig([pay, final]);
    const program = '(do (tool/pay {:n 1}) (tool/pay {:n 2}) (task "f" (tool/final {})) (tool/pay {:n 3}) (return 1))';
    const result = await rig.run(await programInput(program, [pay, final]));
    expect(result).toMatchObject({ made: [{ n: 1 }, { n: 2 }], end: "other" });
    expect(result).not.toHaveProperty("reply");
    expect([paid, rig.asked]).toEqual([[1, 2], 0]);
  });

  test("a worker that makes none gives what another one has kept", async () => {
    const off = new CallsRig([pay], { sequences: false });
    const input = await programInput(chain(1, 2), [pay]);
    const made = [{ n: 1, began: 1, at: 2, answer: { ok: true as const, value: 1 } }];
    const kept: CallsJournal = { activity: "7", n: 1, made };
    expect(await off.run(input, { details: kept })).toEqual({ made, end: "off" });
    expect(await off.run({ ...input, kept })).toEqual({ made, end: "off" });
    expect(await off.run(input)).toEqual({ made: [], end: "off" });
    // The run makes it alone, and the lost attempt counts.
    const under_way = { n: 1, began: 1, attempts: 2 };
    expect(await off.run({ ...input, kept: { ...kept, made: [], under_way } })).toEqual({
      ...{ made: [], end: "off", under_way },
    });
    expect(paid).toEqual([]);
  });
});

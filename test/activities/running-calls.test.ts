import { type CallAttempt, RunningCalls } from "../../src/activities/running-calls/running-calls";

let now = 0;
let calls: RunningCalls;
beforeEach(() => {
  now = 0;
  calls = new RunningCalls(() => now, { kept_ms: 1_000, kept_bytes: 100 });
});

const never = new AbortController().signal;
const attempt = (more: Partial<CallAttempt> = {}): CallAttempt => ({
  ...{ key: "m r callTool k1", activity: "7", isRepeat: false, ends: never },
  ...more,
});
const repeat = (more: Partial<CallAttempt> = {}) => attempt({ isRepeat: true, ...more });

/** A tool that counts its calls and answers when the test says so. */
function tool() {
  const signals: AbortSignal[] = [];
  const answers: { answer(value: unknown): void; fail(error: Error): void }[] = [];
  const make = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<unknown>((answer, fail) => answers.push({ answer, fail }));
  };
  return { make, signals, answers };
}

test("the next attempt waits for a call that still runs, and both get its answer", async () => {
  const { make, answers } = tool();
  const both = [calls.run(attempt(), make), calls.run(repeat(), make)];
  expect(answers).toHaveLength(1);
  answers[0]?.answer({ ok: true, value: 1 });
  expect(await Promise.all(both)).toEqual([
    { ok: true, value: 1 },
    { ok: true, value: 1 },
  ]);
});

const OK = { ok: true, value: 1 };
const FAILURE = { ok: false, fail: { reason: "tool_error", message: "refused" } };

test.each<[string, { answer: unknown; next: CallAttempt; after_ms?: number; made: number }]>([
  ["the next attempt of its activity gets the answer", { answer: OK, next: repeat(), made: 1 }],
  ["another activity that repeats it gets the answer", { answer: OK, next: repeat({ activity: "8" }), made: 1 }],
  ["after some minutes the answer is forgotten", { answer: OK, next: repeat(), after_ms: 1_000, made: 2 }],
  ["a first attempt calls the tool", { answer: OK, next: attempt({ activity: "8" }), made: 2 }],
  ["another run calls the tool", { answer: OK, next: repeat({ key: "m r2 callTool k1" }), made: 2 }],
  ["a failure is for its own activity", { answer: FAILURE, next: repeat(), made: 1 }],
  [
    "a program may call a tool again that failed, with the same key",
    { answer: FAILURE, next: repeat({ activity: "8" }), made: 2 },
  ],
  ["an answer that is too large to be kept", { answer: { ok: true, value: "x".repeat(100) }, next: repeat(), made: 2 }],
])("%s", async (_, { answer, next, after_ms = 0, made }) => {
  const { make, answers } = tool();
  const first = calls.run(attempt(), make);
  answers[0]?.answer(answer);
  await first;
  now += after_ms;
  const second = calls.run(next, make);
  expect(answers).toHaveLength(made);
  answers[1]?.answer("again");
  expect(await second).toEqual(made === 1 ? answer : "again");
});

test("an error is not kept: the tool may ask for another attempt", async () => {
  const { make, answers } = tool();
  const first = calls.run(attempt(), make);
  answers[0]?.fail(new Error("busy"));
  await expect(first).rejects.toThrow("busy");
  void calls.run(repeat(), make);
  expect(answers).toHaveLength(2);
});

test("a call ends when one of its attempts says so, and is forgotten; an answer that is there stays", async () => {
  const { make, signals, answers } = tool();
  const [first, second] = [new AbortController(), new AbortController()];
  void calls.run(attempt({ ends: first.signal }), make);
  void calls.run(repeat({ ends: second.signal }), make);
  second.abort(new Error("cancelled"));
  expect([signals[0]?.aborted, signals[0]?.reason]).toEqual([true, new Error("cancelled")]);
  const third = calls.run(repeat({ ends: never }), make);
  expect(answers).toHaveLength(2);
  answers[1]?.answer(OK);
  await third;
  first.abort();
  expect(await calls.run(repeat(), make)).toEqual(OK);
});

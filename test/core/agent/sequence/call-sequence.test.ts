import fc from "fast-check";
import {
  advanceSequence,
  clockOf,
  contradictedCalls,
  hasActivity,
  isOtherReply,
  isSequenceOpen,
  mayBeginSequence,
  mayFollowReply,
  NO_SEQUENCE,
  type Sequence,
  type SequenceEvent,
  type SequencePhase,
} from "../../../../src/core/agent/sequence/call-sequence";
import type { BegunCall, MadeCall } from "../../../../src/core/calls/run-calls";
import { assertProperty } from "../../../support/run/property";
import { RULES, SequenceModel, type SequenceRules } from "./sequence-model";

const made = (n: number, at = 100 + n): MadeCall => ({ n, began: at - 1, at, answer: { ok: true, value: n } });
const CALLS = [made(1), made(2), made(3), made(4)];
const begun = (n: number, more: object = {}): BegunCall => ({ n, began: 200, ...more });
const STOOD = { blocked_ms: 7, paused_ms: 5 };

/** A sequence in a phase, and what else differs from none. */
const after = (phase: SequencePhase, more: Partial<Sequence> = {}): Sequence => ({
  ...NO_SEQUENCE,
  phase,
  n: 1,
  ...more,
});

interface Row {
  it: string;
  from: Sequence;
  event: SequenceEvent;
  /** What differs from before. */
  gives: Partial<Sequence>;
}

const end = (result: Extract<SequenceEvent, { type: "ended" }>["result"], more: object = {}): SequenceEvent => ({
  type: "ended",
  result,
  ...more,
});
const RUNS = after("running", { clock: 50, stood: STOOD, inRow: 2 });
const REPORTED = after("awaited", { reported: 1, clock: 101 });

const ROWS: { [about: string]: Row[] } = {
  "a call that the program asks for": [
    { it: "counts", from: NO_SEQUENCE, event: { type: "asked", may: true }, gives: { inRow: 1 } },
    {
      it: "counts once more",
      from: after("ended", { inRow: 1 }),
      event: { type: "asked", may: true },
      gives: { inRow: 2 },
    },
    {
      ...{ it: "of another tool begins the count again", from: after("idle", { inRow: 3 }) },
      ...{ event: { type: "asked", may: false }, gives: { inRow: 0 } },
    },
    ...(["asking", "running", "reported", "awaited"] as const).map((phase) => ({
      ...{ it: `counts no more when the activity is ${phase}`, from: after(phase, { inRow: 1 }) },
      ...{ event: { type: "asked", may: true } as const, gives: {} },
    })),
    ...[
      { it: "while answers wait", answers: [made(1)] },
      { it: "where it is off for the program", off: "program" as const },
      { it: "where it is off for the run", off: "run" as const },
      { it: "where the next call is made alone", nextAlone: true },
    ].map(({ it, ...more }) => ({
      ...{ it: `counts no more ${it}`, from: after("ended", { inRow: 1, ...more }) },
      ...{ event: { type: "asked", may: true } as const, gives: {} },
    })),
  ],
  "an activity that begins": [
    {
      it: "has the next number, and forgets the attempts before",
      from: after("ended", { inRow: 2, tried: { attempts: 1 }, unanswered: begun(1), reported: 1, isStopping: true }),
      event: { type: "began", now: 70, stood: STOOD, asks: false },
      gives: {
        ...{ phase: "running", n: 2, clock: 70, stood: STOOD, reported: null, isStopping: false },
        ...{ tried: undefined, unanswered: undefined },
      },
    },
    {
      it: "with a model begins a new program",
      from: after("ended", { inRow: 2, off: "program", nextAlone: true }),
      event: { type: "began", now: 70, stood: STOOD, asks: true },
      gives: { phase: "asking", n: 2, clock: 70, stood: STOOD, inRow: 0, off: "no", nextAlone: false },
    },
    {
      it: "with a model leaves it off for the run",
      from: after("idle", { off: "run" }),
      event: { type: "began", now: 70, stood: STOOD, asks: true },
      gives: { phase: "asking", n: 2, clock: 70, stood: STOOD },
    },
  ],
  "a report": [
    {
      ...{ it: "gives the answers so far", from: RUNS, event: { type: "reported", made: CALLS.slice(0, 2) } },
      gives: { phase: "reported", answers: CALLS.slice(0, 2), reported: 2 },
    },
    {
      ...{ it: "with a reply sets the time to that of the reply", from: after("asking", { clock: 50 }) },
      event: { type: "reported", made: [], replied_at: 90 },
      gives: { phase: "reported", reported: 0, clock: 90 },
    },
  ],
  "an activity under way": [
    { it: "only asks", from: after("asking"), event: { type: "only_asks" }, gives: { phase: "awaited" } },
    { it: "is asked to stop", from: RUNS, event: { type: "stopping" }, gives: { isStopping: true } },
    { it: "is waited for", from: after("reported"), event: { type: "awaited" }, gives: { phase: "awaited" } },
  ],
  "an answer that is taken": [
    {
      ...{ it: "sets the time to its own", from: after("ended", { answers: CALLS, clock: 50 }) },
      ...{ event: { type: "taken" }, gives: { answers: CALLS.slice(1), clock: 101 } },
    },
  ],
  "the end": [
    {
      it: "at a limit: the next sequence begins with the next call",
      ...{ from: RUNS, event: end({ made: CALLS, end: "limit" }) },
      gives: { phase: "ended", answers: CALLS, inRow: 1 },
    },
    {
      it: "as it was asked to stop: the same",
      from: { ...RUNS, isStopping: true },
      event: end({ made: [], end: "stopped" }),
      gives: { phase: "ended", isStopping: false, inRow: 1 },
    },
    {
      it: "at another call: that one is made alone",
      ...{ from: RUNS, event: end({ made: CALLS, end: "other" }) },
      gives: { phase: "ended", answers: CALLS, inRow: 0, nextAlone: true },
    },
    {
      it: "at the first call: the program makes no other sequence",
      ...{ from: RUNS, event: end({ made: [], end: "other" }) },
      gives: { phase: "ended", inRow: 0, nextAlone: true, off: "program" },
    },
    {
      it: "of a model's activity at the first call: it does",
      from: after("asking", { clock: 50 }),
      event: end({ made: [], end: "other" }, { replied_at: 90 }),
      gives: { phase: "ended", nextAlone: true, clock: 90 },
    },
    {
      it: "without being asked: the program makes no other sequence, and the attempt counts",
      ...{ from: RUNS, event: end({ made: CALLS, end: "stopped", under_way: begun(5) }) },
      gives: {
        ...{ phase: "ended", answers: CALLS, inRow: 0, nextAlone: true, off: "program" },
        tried: { attempts: 1, after_ms: 0 },
      },
    },
    {
      it: "with an open call: that one waits as its tool says",
      from: RUNS,
      event: end({ made: CALLS, end: "open", under_way: begun(5), open: [{ n: 5, attempts: 2, after_ms: 900 }] }),
      gives: { phase: "ended", answers: CALLS, inRow: 0, nextAlone: true, tried: { attempts: 2, after_ms: 900 } },
    },
    {
      it: "with an open call: or as its policy says",
      ...{ from: RUNS, event: end({ made: CALLS, end: "open", open: [{ n: 5, attempts: 1 }] }) },
      gives: { phase: "ended", answers: CALLS, inRow: 0, nextAlone: true, tried: { attempts: 1 } },
    },
    {
      it: "of a worker that makes no calls: none in this run",
      ...{ from: RUNS, event: end({ made: [], end: "off" }) },
      gives: { phase: "ended", inRow: 0, nextAlone: true, off: "run" },
    },
    {
      it: "after a report: only what is new",
      from: { ...REPORTED, answers: [] },
      event: end({ made: CALLS, end: "limit" }),
      gives: { phase: "ended", answers: CALLS.slice(1), reported: null, inRow: 1 },
    },
    {
      it: "after a report: behind the answers that wait still",
      from: { ...REPORTED, phase: "reported", answers: [made(1)] },
      event: end({ made: CALLS, end: "limit" }, { replied_at: 90 }),
      gives: { phase: "ended", answers: CALLS, reported: null, inRow: 1 },
    },
    {
      it: "after a report of few calls: the program makes the others alone",
      ...{ from: REPORTED, event: end({ made: CALLS.slice(0, 2), end: "limit" }) },
      gives: { phase: "ended", answers: [made(2)], reported: null, inRow: 1, off: "program" },
    },
    {
      it: "of a lost worker: another sequence begins with the call that was under way",
      ...{
        from: RUNS,
        event: end({ made: CALLS, end: "stopped", under_way: begun(5, { attempts: 2 }), isLost: true }),
      },
      gives: {
        ...{ phase: "ended", answers: CALLS, inRow: 1 },
        ...{ unanswered: begun(5, { attempts: 2 }), tried: { attempts: 2, after_ms: 0 } },
      },
    },
    {
      it: "of a lost worker after a report of few calls: the program makes the others alone",
      from: { ...REPORTED, answers: [made(1)], nextAlone: true },
      event: end({ made: [made(1)], end: "stopped", isLost: true }),
      gives: { phase: "ended", reported: null, inRow: 1, nextAlone: false, off: "program" },
    },
    {
      it: "with a reply alone changes nothing else",
      ...{ from: after("awaited", { isStopping: true, inRow: 1 }), event: end(null) },
      gives: { phase: "ended", isStopping: false },
    },
    {
      it: "does not switch on what is off for the run",
      ...{ from: after("asking", { off: "run" }), event: end({ made: [], end: "stopped" }) },
      gives: { phase: "ended", inRow: 0, nextAlone: true },
    },
  ],
  "what the run does besides": [
    { it: "numbers another activity", from: after("ended"), event: { type: "numbered" }, gives: { n: 2 } },
    {
      it: "makes a call alone",
      from: after("ended", { nextAlone: true, tried: { attempts: 1 }, unanswered: begun(1), inRow: 1 }),
      ...{ event: { type: "made_alone" }, gives: { nextAlone: false, tried: undefined, unanswered: undefined } },
    },
    {
      it: "ends its program",
      from: after("ended", { inRow: 2, off: "program", nextAlone: true }),
      ...{ event: { type: "program_ended" }, gives: { inRow: 0, off: "no", nextAlone: false } },
    },
    {
      it: "ends its program: what is off for the run stays off",
      ...{ from: after("ended", { off: "run" }), event: { type: "program_ended" }, gives: {} },
    },
    { it: "is too large", from: after("idle", { inRow: 1 }), event: { type: "too_large" }, gives: { off: "run" } },
  ],
};

describe.each(Object.entries(ROWS))("%s", (_, rows) => {
  test.each(rows)("$it", ({ from, event, gives }) => {
    const before = structuredClone(from);
    expect(advanceSequence(from, event)).toEqual({ ...from, ...gives });
    expect(from).toEqual(before);
  });
});

/** Where answers wait, or are waited for, and whose time the program has. */
test.each<[SequencePhase, { answers?: MadeCall[] }, { open: boolean; runs: boolean; clock: number | undefined }]>([
  ["idle", {}, { open: false, runs: false, clock: undefined }],
  ["asking", {}, { open: true, runs: true, clock: undefined }],
  ["running", {}, { open: true, runs: true, clock: undefined }],
  ["reported", { answers: [made(1)] }, { open: true, runs: true, clock: 50 }],
  ["reported", {}, { open: true, runs: true, clock: 50 }],
  ["awaited", {}, { open: false, runs: true, clock: undefined }],
  ["ended", { answers: [made(1)] }, { open: true, runs: false, clock: 50 }],
  ["ended", {}, { open: false, runs: false, clock: undefined }],
])("%s with %j", (phase, more, { open, runs, clock }) => {
  const at = after(phase, { clock: 50, inRow: 9, ...more });
  expect([isSequenceOpen(at), hasActivity(at), clockOf(at)]).toEqual([open, runs, clock]);
  // Nothing begins before what was made is known and taken.
  const begins = !open && !runs;
  expect([
    mayBeginSequence(at, { several: true }),
    mayBeginSequence(at, { several: false }),
    mayFollowReply(at),
  ]).toEqual([begins, begins, begins]);
});

test.each([
  { inRow: 0, off: "no", nextAlone: false, several: false, one: false, reply: true },
  { inRow: 0, off: "no", nextAlone: false, several: true, one: false, reply: true },
  { inRow: 1, off: "no", nextAlone: false, several: false, one: false, reply: true },
  { inRow: 1, off: "no", nextAlone: false, several: true, one: true, reply: true },
  { inRow: 2, off: "no", nextAlone: false, several: false, one: true, reply: true },
  { inRow: 2, off: "no", nextAlone: true, several: true, one: false, reply: true },
  { inRow: 2, off: "program", nextAlone: false, several: true, one: false, reply: true },
  { inRow: 2, off: "run", nextAlone: false, several: true, one: false, reply: false },
] as const)(
  "calls in a row: $inRow, off: $off, next alone: $nextAlone, several: $several: begins $one, after a reply $reply",
  ({ several, one, reply, ...more }) => {
    const at = after("ended", more);
    expect([mayBeginSequence(at, { several }), mayFollowReply(at)]).toEqual([one, reply]);
  },
);

// --- any order of events ---------------------------------------------------------------------------------------------

const CHOICES = fc.array(fc.nat(), { minLength: 40, maxLength: 80 });
const COUNT = 2_000;

/** @returns what has happened in all of them */
function holds(rules: SequenceRules, options: { endOnFailure?: boolean } = {}): Set<string> {
  const seen = new Set<string>();
  assertProperty(
    fc.property(CHOICES, (choices) => {
      const model = new SequenceModel(rules);
      for (const choice of choices) model.step(choice);
      model.finish();
      for (const one of model.seen) seen.add(one);
    }),
    { numRuns: COUNT, includeErrorInReport: true, ...options },
  );
  return seen;
}

test("in any order of events each answer reaches the program once, in order, and nothing changes the run before", () => {
  const events: SequenceEvent["type"][] = [
    ...(["asked", "began", "reported", "only_asks", "stopping", "awaited", "ended", "taken"] as const),
    ...(["numbered", "made_alone", "program_ended"] as const),
  ];
  const ends = ["other", "limit", "stopped", "open", "off", "lost", "lost after a reply"];
  expect([...holds(RULES)].sort()).toEqual([...events, ...ends].sort());
});

/** The rules with one of them broken. */
const broken = <T extends SequenceEvent["type"]>(
  type: T,
  change: (after: Sequence, before: Sequence, event: Extract<SequenceEvent, { type: T }>) => Partial<Sequence>,
): SequenceRules => ({
  ...RULES,
  advance: (at, event) => {
    const next = advanceSequence(at, event);
    return event.type === type ? { ...next, ...change(next, at, event as Extract<SequenceEvent, { type: T }>) } : next;
  },
});

/** The program, which asks for its calls by their numbers, meets it at the next answer, time or attempt. */
const LOST_OR_REPEATED = /answer \d+ comes after|made again|time goes back|attempts of call/;

test.each<[string, SequenceRules, RegExp]>([
  [
    "an end that gives the reported answers again",
    broken("ended", (_, { answers }, { result }) => ({ answers: [...answers, ...(result?.made ?? [])] })),
    LOST_OR_REPEATED,
  ],
  [
    "an end that forgets the reported answers that wait",
    broken("ended", ({ answers }, before) => ({ answers: answers.slice(before.answers.length) })),
    LOST_OR_REPEATED,
  ],
  [
    "an answer that is taken from the end",
    broken("taken", (_, { answers }) => ({ answers: answers.slice(0, -1) })),
    /answer \d+ comes after/,
  ],
  ["an answer that is never taken", broken("taken", (_, { answers }) => ({ answers })), /answer \d+ comes after/],
  ["a time that stands still", broken("taken", (_, { clock }) => ({ clock: clock - 1 })), /time goes back/],
  [
    "answers that wait while the run may change",
    { ...RULES, isOpen: ({ phase }) => phase === "asking" || phase === "running" || phase === "reported" },
    /may change while an answer waits/,
  ],
  [
    "an activity at work while the run may change",
    { ...RULES, isOpen: ({ phase, answers }) => answers.length > 0 || phase === "asking" },
    /may change while an answer waits/,
  ],
  [
    "a sequence that begins while one runs",
    { ...RULES, mayBegin: (at, options) => hasActivity(at) || mayBeginSequence(at, options) },
    /begins while one runs/,
  ],
  [
    "a sequence that begins while answers wait",
    { ...RULES, mayBegin: (at, options) => at.answers.length > 0 || mayBeginSequence(at, options) },
    /begins while answers wait|begins while one runs/,
  ],
  [
    "a sequence that begins after it was switched off",
    { ...RULES, mayBegin: (at, options) => mayBeginSequence({ ...at, off: "no" }, options) },
    /after it was switched off/,
  ],
  [
    "a model whose activity makes calls after it was switched off",
    { ...RULES, mayFollowReply: (at) => mayFollowReply({ ...at, off: "no" }) },
    /after it was switched off/,
  ],
  [
    "a sequence that begins with the call that ended one",
    { ...RULES, mayBegin: (at, options) => mayBeginSequence({ ...at, nextAlone: false, inRow: 2 }, options) },
    /with the call that ended one/,
  ],
  ["a call alone that clears nothing", broken("made_alone", (_, { nextAlone }) => ({ nextAlone })), /made alone: true/],
  ["an answer that clears the call alone", broken("taken", () => ({ nextAlone: false })), /made alone: false/],
  ["an end that switches on", broken("ended", () => ({ off: "no" })), /off: no/],
  ["attempts that do not count", broken("ended", () => ({ tried: undefined })), /attempts of call/],
  [
    "a lost call that is forgotten",
    broken("ended", () => ({ unanswered: begun(1, { attempts: 9 }) })),
    /attempts of call/,
  ],
])("the property shows %s", (_, rules, says) => {
  expect(() => holds(rules, { endOnFailure: true })).toThrow(says);
});

const forged: MadeCall = { ...made(2), answer: { ok: true, value: "forged" } };
test.each([
  { it: "the same", reported: [made(1), made(2)], returned: [made(1), made(2), made(3)], isWhole: true, differ: [] },
  {
    it: "another answer",
    reported: [made(1), forged],
    returned: [made(1), made(2)],
    isWhole: true,
    differ: [forged, made(2)],
  },
  { it: "a call less", reported: [made(1), forged], returned: [made(1)], isWhole: true, differ: [forged] },
  {
    it: "a call less, of a lost worker",
    reported: [made(1), made(2)],
    returned: [made(1)],
    isWhole: false,
    differ: [],
  },
  {
    it: "another answer, of a lost worker",
    reported: [forged],
    returned: [made(2)],
    isWhole: false,
    differ: [forged, made(2)],
  },
  { it: "nothing was reported", reported: [], returned: [made(1)], isWhole: true, differ: [] },
])("an activity that returns $it contradicts what it reported, or not", ({ reported, returned, isWhole, differ }) => {
  expect(contradictedCalls(reported, returned, isWhole)).toEqual(differ);
});

test("a reply contradicts another one, and none, whatever its time is", () => {
  const reply = { content: "a" };
  expect(isOtherReply({ reply, replied_at: 1 }, { reply: { content: "a" }, replied_at: 2 })).toBe(false);
  expect(isOtherReply({ reply, replied_at: 1 }, { reply: { content: "b" } })).toBe(true);
  expect(isOtherReply({ reply, replied_at: 1 }, {})).toBe(true);
});

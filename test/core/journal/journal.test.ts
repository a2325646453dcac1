import type { Json } from "../../../src/core/base/json";
import { Journal, type JournalChange, MAX_ID_CHARS } from "../../../src/core/journal/journal";
import { renderMissionLog } from "../../../src/core/journal/mission-log";
import { MAX_JOURNAL_BYTES, packed, unpacked } from "../../../src/core/journal/record";
import type { RecordedCall } from "../../../src/core/lisp";
import { LispError } from "../../../src/core/lisp/values/errors";

const NOW = 1_700_000_000_000;
const empty = () => new Journal(() => NOW);
const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);

function parsed(raw: unknown): Journal {
  const journal = Journal.parse(raw, () => NOW);
  if (!journal.ok) throw new Error(journal.fail.message);
  return journal.value;
}

describe("a journal from outside", () => {
  test.each([
    { raw: null, got: "null" },
    { raw: undefined, got: "a undefined" },
    { raw: [], got: "an array" },
    { raw: "{}", got: "a string" },
    { raw: 7, got: "a number" },
  ])("$raw is refused: it is not an object", ({ raw, got }) => {
    expect(Journal.parse(raw, () => NOW)).toEqual({
      ok: false,
      fail: {
        reason: "invalid_input",
        message: `A journal is an object of task id -> value, got ${got}.`,
        details: { path: "journal" },
      },
    });
  });

  test.each([
    { name: "undefined", value: undefined, says: "it is not JSON: undefined" },
    { name: "a function", value: () => 1, says: "it is not JSON: function" },
    { name: "a bigint", value: 1n, says: "it is not JSON: bigint" },
    { name: "not a number", value: Number.NaN, says: "a number must be finite" },
    { name: "infinity in a list", value: [[Number.POSITIVE_INFINITY]], says: "a number must be finite" },
    { name: "a date", value: new Date(0), says: "it is not JSON: a Date" },
    { name: "a map in a record", value: { a: new Map() }, says: "it is not JSON: a Map" },
    { name: "a hole", value: { a: [1, undefined] }, says: "it is not JSON: undefined" },
    { name: "too deep a value", value: nested(201), says: "nested more than 200 levels" },
    { name: "too large a value", value: "x".repeat(MAX_JOURNAL_BYTES), says: `the limit is ${MAX_JOURNAL_BYTES}` },
  ])("a value that is $name is refused, and its id named", ({ value, says }) => {
    const journal = Journal.parse({ good: 1, bad: value }, () => NOW);
    expect(journal).toMatchObject({
      ok: false,
      fail: { reason: "invalid_input", details: { path: "journal.bad", id: "bad" } },
    });
    expect(journal.ok ? "" : journal.fail.message).toContain(says);
  });

  test.each([
    { id: "", says: "an empty id" },
    { id: "x".repeat(MAX_ID_CHARS + 1), says: `an id of ${MAX_ID_CHARS + 1} characters` },
  ])("$says is not a valid id: refused everywhere, before a task runs", ({ id, says }) => {
    expect(Journal.parse({ good: 1, [id]: 1 }, () => NOW)).toMatchObject({
      ok: false,
      fail: { reason: "invalid_input", message: expect.stringContaining(says) },
    });
    expect(empty().record({ id, value: 1, by: "anna" })).toMatchObject({
      ok: false,
      fail: { reason: "invalid_decision", message: expect.stringContaining(says) },
    });
    expect(() => empty().has(id)).toThrow(LispError);
    expect(Journal.parse({ ["x".repeat(MAX_ID_CHARS)]: 1 }, () => NOW).ok).toBe(true);
  });

  test("a value that contains itself is refused instead of being traversed forever", () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(Journal.parse({ a: value }, () => NOW)).toMatchObject({ ok: false });
  });

  test("any other text is an id", () => {
    const raw = JSON.parse('{"__proto__":1,"constructor":2,"a b\\n":3,"日本":null,"7":5}');
    const journal = parsed(raw);
    expect(journal.list().map(({ id, value, by, at }) => [id, value, by, at])).toEqual([
      ["7", 5, "given", NOW],
      ["__proto__", 1, "given", NOW],
      ["constructor", 2, "given", NOW],
      ["a b\n", 3, "given", NOW],
      ["日本", null, "given", NOW],
    ]);
    expect(JSON.stringify(journal.toJson())).toBe(JSON.stringify(raw));
    expect(journal.has("toString")).toBe(false);
  });

  test("an accepted value is the caller's value, up to two hundred levels deep", () => {
    expect(parsed({ deep: nested(200), s: { a: [null, true, "x", 1.5] } }).get("s")).toEqual({
      a: [null, true, "x", 1.5],
    });
  });
});

describe("the journal is never larger than one payload can carry", () => {
  const half = "x".repeat(MAX_JOURNAL_BYTES / 2);

  test("a task's value without room is a program error that names a remedy", () => {
    const journal = empty();
    journal.commit("a", half);
    expect(() => journal.commit("b", half)).toThrow(LispError);
    expect(() => journal.commit("b", half)).toThrow(/"b".*Record a reference or a summary/);
    expect(journal.has("b")).toBe(false);
  });

  test("a decision without room is refused", () => {
    const journal = parsed({ a: half });
    expect(journal.record({ id: "b", value: half, by: "anna" })).toMatchObject({
      ok: false,
      fail: { reason: "payload_too_large", details: { id: "b" } },
    });
  });

  test("a reset makes room, and an overwrite does, too", () => {
    const journal = parsed({ a: half });
    journal.reset("a");
    journal.commit("b", half);
    expect(journal.record({ id: "b", value: "short", by: "anna", overwrite: true }).ok).toBe(true);
    journal.commit("c", half);
    expect(journal.list().map(({ id }) => id)).toEqual(["b", "c"]);
  });

  test("bytes are counted, not characters", () => {
    expect(Journal.parse({ a: "ü".repeat(MAX_JOURNAL_BYTES / 2) }, () => NOW).ok).toBe(false);
    expect(Journal.parse({ a: "u".repeat(MAX_JOURNAL_BYTES / 2) }, () => NOW).ok).toBe(true);
  });

  test("very many small records are too many: each has a row in the answer of a query, whose size is limited", () => {
    const raw = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`task_${i}`, true]));
    expect(Journal.parse(raw, () => NOW)).toMatchObject({
      ok: false,
      fail: { reason: "invalid_input", details: { path: expect.stringMatching(/^journal\.task_/) } },
    });
  });

  test("ten thousand records of small tool calls fit", () => {
    const journal = empty();
    for (let n = 0; n < 10_000; n++)
      journal.commit(`call_${n}`, { n }, { calls: [{ tool: "touch", args: { n }, same: true }] });
    expect(journal.list()).toHaveLength(10_000);
    const bytes = JSON.stringify(journal.list().map(packed)).length;
    expect(bytes).toBeLessThan(750_000);
  });

  test("answers take no room that values need: in a journal that is half full they are not kept", () => {
    const journal = empty();
    const made = { calls: [{ tool: "look", args: { n: 1 }, answer: "seven" }] };
    journal.commit("early", 7, made);
    journal.commit("much", half);
    journal.commit("late", 7, made);
    expect(journal.callsOf("early")).toEqual(made);
    expect(journal.callsOf("late")).toEqual({ calls: [{ tool: "look", args: { n: 1 } }] });
  });

  test("notes count, too", () => {
    const note = "x".repeat(MAX_JOURNAL_BYTES);
    expect(empty().record({ id: "a", value: 1, by: "anna", note })).toMatchObject({
      fail: { reason: "payload_too_large" },
    });
  });

  test("a restored journal knows its size", () => {
    const journal = Journal.restore(parsed({ a: half }).list(), () => NOW);
    expect(() => journal.commit("b", half)).toThrow(LispError);
  });
});

describe("a decision from outside", () => {
  test("is recorded with who, when and why", () => {
    const journal = empty();
    const entry = { id: "paid", value: true, by: "bank", note: "ref 7", at: NOW };
    expect(journal.record({ id: "paid", value: true, by: "bank", note: "ref 7" })).toEqual({ ok: true, value: entry });
    expect(journal.list()).toEqual([entry]);
  });

  test("never replaces a record by accident, and the refusal shows the record", () => {
    const journal = parsed({ paid: { ref: 7 } });
    expect(journal.record({ id: "paid", value: false, by: "anna" })).toMatchObject({
      ok: false,
      fail: {
        reason: "already_exists",
        message: '"paid" is already recorded (by given): {"ref":7}. Set overwrite to replace it.',
        details: { id: "paid", by: "given", at: NOW },
      },
    });
    expect(journal.get("paid")).toEqual({ ref: 7 });
  });

  test("is taken where a task looked too early and recorded nil, and where a saved journal has nil", () => {
    const journal = parsed({ saved: null });
    journal.commit("asked", null);
    for (const id of ["saved", "asked"])
      expect(journal.record({ id, value: true, by: "anna" })).toMatchObject({ ok: true, value: { by: "anna" } });
    expect(journal.toJson()).toEqual({ saved: true, asked: true });
  });

  test("is refused where an effect gave nil, and where a person decided nil", () => {
    const journal = empty();
    journal.commit("paid", null, { calls: [{ tool: "pay", args: {} }] });
    journal.record({ id: "answer", value: null, by: "ben" });
    for (const id of ["paid", "answer"])
      expect(journal.record({ id, value: true, by: "anna" })).toMatchObject({
        fail: { reason: "already_exists", details: { path: id, kind: "record" } },
      });
  });

  test("with overwrite replaces the record in its place", () => {
    const journal = parsed({ a: 1, b: 2 });
    journal.record({ id: "a", value: 3, by: "anna", overwrite: true });
    expect(journal.list().map(({ id, value, by }) => [id, value, by])).toEqual([
      ["a", 3, "anna"],
      ["b", 2, "given"],
    ]);
  });

  test.each([undefined, Number.NaN, nested(201), { a: () => 1 }])(
    "%p is not a value: it is refused, and nothing changes",
    (value) => {
      const journal = empty();
      expect(journal.record({ id: "a", value: value as Json, by: "anna" })).toMatchObject({
        ok: false,
        fail: { reason: "invalid_decision", details: { id: "a" } },
      });
      expect(journal.list()).toEqual([]);
    },
  );
});

test("one listener gets every change, in order, and nothing else", () => {
  const heard: JournalChange[] = [];
  const journal = parsed({ given: 1 });
  journal.onChange((change) => heard.push(change));
  journal.commit("a", 1);
  journal.record({ id: "a", value: 2, by: "anna" });
  journal.record({ id: "b", value: 2, by: "anna" });
  journal.reset("gone");
  journal.reset("a");
  expect(heard).toEqual([
    { kind: "recorded", record: { id: "a", value: 1, at: NOW, by: "task" } },
    { kind: "recorded", record: { id: "b", value: 2, at: NOW, by: "anna" } },
    { kind: "reset", id: "a" },
  ]);
});

describe("the short form of a record", () => {
  const record = { id: "a", value: { n: 1 }, at: NOW, by: "task" };

  test.each([
    { name: "a plain one", more: {}, short: ["a", { n: 1 }, NOW] },
    { name: "a decision", more: { by: "anna", note: "ok" }, short: ["a", { n: 1 }, NOW, { by: "anna", note: "ok" }] },
    {
      name: "a call",
      more: { calls: [{ tool: "touch", args: { n: 1 } }] },
      short: ["a", { n: 1 }, NOW, { calls: [["touch", { n: 1 }]] }],
    },
    {
      name: "a call with long arguments, and another one after it",
      more: {
        calls: [
          { tool: "touch", digest: "0123" },
          { tool: "touch", args: {} },
        ],
        conflict: "asked again",
      },
      short: [
        "a",
        { n: 1 },
        NOW,
        {
          calls: [
            ["touch", "0123"],
            ["touch", {}],
          ],
          conflict: "asked again",
        },
      ],
    },
  ])("$name", ({ more, short }) => {
    expect(packed({ ...record, ...more })).toEqual(short);
    expect(unpacked(packed({ ...record, ...more }))).toEqual({ ...record, ...more });
  });
});

describe("the Mission Log of a journal that grows", () => {
  test("is at each moment that of all its records", () => {
    const journal = empty();
    const expected = () => renderMissionLog(journal.list());
    const deeds = [
      () => journal.commit("a", 1),
      () => journal.commit("b", "two\nlines"),
      () => journal.noteConflict("a", { tool: "t", args: {} }),
      () => journal.reset("b"),
      () => journal.commit("c", 3),
      () => journal.commit("b", 4),
      () => journal.record({ id: "c", value: 5, by: "anna", overwrite: true }),
    ];
    expect(journal.missionLog()).toBe("");
    for (const deed of deeds) {
      deed();
      expect(journal.missionLog()).toBe(expected());
    }
  });
});

describe("the calls of a task", () => {
  const CALLS: RecordedCall[] = [
    { tool: "look", args: { n: 1 }, answer: null },
    { tool: "look", digest: "0123456789abcdef", answer: { deep: [1] } },
    { tool: "pay", args: {}, fail: { reason: "tool_error", message: "no" } },
    { tool: "pay", args: { cents: 5 }, same: true },
    { tool: "pay", args: { cents: 6 } },
  ];

  test("come back from the short form of a record", () => {
    const journal = empty();
    journal.commit("a", 1, { calls: CALLS, more: true });
    const records = journal.list();
    expect(JSON.parse(JSON.stringify(records.map(packed))).map(unpacked)).toEqual(records);
    expect(Journal.restore(records, () => NOW).callsOf("a")).toEqual({ calls: CALLS, more: true });
  });

  test("are known of tasks only: a value that was given or decided says nothing of calls", () => {
    const journal = parsed({ given: 1 });
    journal.record({ id: "decided", value: 1, by: "anna" });
    journal.commit("done", 1);
    expect(["given", "decided", "none"].map((id) => journal.callsOf(id))).toEqual([undefined, undefined, undefined]);
    expect(journal.callsOf("done")).toEqual({ calls: [] });
  });
});

import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { givenRows, projectJournal } from "../../../src/core/history/read/project";
import { CHANGES } from "../../../src/core/journal/changes";
import { Journal, type JournalChange } from "../../../src/core/journal/journal";
import { missionLogText, renderMissionLog, renderMissionLogRows } from "../../../src/core/journal/mission-log";
import type { JournalRecord } from "../../../src/core/journal/record";
import { JournalView } from "../../../src/core/journal/view";
import { assertProperty } from "../../support/run/property";
import { historyOf, memo, started, type Written } from "./history";

/** Tasks, people and resets in any order: what the journal is, its mirrors are too. */
type Deed =
  | { do: "task"; id: string; value: Json }
  | { do: "decide"; id: string; value: Json; by: string; overwrite: boolean }
  | { do: "reset"; id: string }
  /** The run waits, and is carried on by another process. */
  | { do: "wait"; ms: number };

const id = fc.constantFrom("a", "b", "c", "10", "9", "__proto__", "constructor", "x y", "line\nend");
const value = fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.parse(JSON.stringify(one)) as Json);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant("task" as const), id, value }),
  fc.record({
    do: fc.constant("decide" as const),
    id,
    value,
    by: fc.constantFrom("anna", "bank"),
    overwrite: fc.boolean(),
  }),
  fc.record({ do: fc.constant("reset" as const), id }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(100_000) }),
);
const given = fc.dictionary(id, value, { maxKeys: 3 });

const START = 1_700_000_000_000;

/** What the journal must be, written without looking at how it is. */
class Expected {
  entries: JournalRecord[];
  constructor(journal: JsonObject) {
    this.entries = Object.entries(journal).map(([key, one]) => ({ id: key, value: one, at: START, by: "given" }));
  }

  apply(step: Deed, at: number): void {
    if (step.do === "wait") return;
    const there = this.entries.findIndex((entry) => entry.id === step.id);
    if (step.do === "reset") this.entries = this.entries.filter((entry) => entry.id !== step.id);
    else if (there < 0)
      this.entries.push({ id: step.id, value: step.value, at, by: step.do === "task" ? "task" : step.by });
    else if (step.do === "decide" && (step.overwrite || isNothing(this.entries[there] as JournalRecord)))
      this.entries[there] = { id: step.id, value: step.value, at, by: step.by };
  }
}

/** Nil that no effect made and nobody decided does not keep a decision out. */
const isNothing = ({ value: recorded, by }: JournalRecord): boolean =>
  recorded === null && (by === "task" || by === "given");

/** The journal as a workflow drives it: changes go to the memo, and into the history. */
class Mission {
  now = START;
  journal: Journal;
  readonly view: JournalView;
  readonly events: Written[];

  constructor(readonly journalGiven: JsonObject) {
    const parsed = Journal.parse(journalGiven, () => this.now);
    if (!parsed.ok) throw new Error(parsed.fail.message);
    this.journal = parsed.value;
    this.view = new JournalView(givenRows(journalGiven, START));
    this.events = [started({ journal: journalGiven }, START)];
    this.journal.onChange(this.changed);
  }

  private changed = (change: JournalChange): void => {
    const removes = change.kind === "reset";
    if (removes) this.view.remove(change.id);
    const written = removes
      ? { id: change.id, reset: true }
      : this.view.add(change.record, missionLogText(change.record.value));
    this.events.push(memo({ [CHANGES]: [written] as unknown as Json }, this.now));
  };

  apply(step: Deed): void {
    switch (step.do) {
      case "task":
        // As the language does it: what is recorded is read, not done.
        if (!this.journal.has(step.id)) this.journal.commit(step.id, step.value);
        return;
      case "decide":
        this.journal.record(step);
        return;
      case "reset":
        this.journal.reset(step.id);
        return;
      case "wait":
        this.now += step.ms;
        this.journal = Journal.restore(JSON.parse(JSON.stringify(this.journal.list())), () => this.now);
        this.journal.onChange(this.changed);
    }
  }
}

const walk = (journalGiven: JsonObject, deeds: Deed[], check: (mission: Mission, expected: Expected) => void): void => {
  const mission = new Mission(journalGiven);
  const expected = new Expected(journalGiven);
  for (const step of deeds) {
    mission.apply(step);
    expected.apply(step, mission.now);
    check(mission, expected);
  }
};

const always = (check: (mission: Mission, expected: Expected) => void) =>
  assertProperty(
    fc.property(given, fc.array(deed, { maxLength: 25 }), (journalGiven, deeds) => walk(journalGiven, deeds, check)),
    { numRuns: 150 },
  );

test("a record is written once, until it is reset or deliberately overwritten", () =>
  always(({ journal }, { entries }) => {
    expect(journal.list()).toEqual(entries);
    expect(new Map(Object.entries(journal.toJson()))).toEqual(new Map(entries.map((entry) => [entry.id, entry.value])));
  }));

test("the view is the fold of the changes: the same entries in the same order, with author and time", () =>
  always(({ journal, view }) =>
    expect(view.rows()).toEqual(journal.list().map((entry) => ({ ...entry, text: missionLogText(entry.value) }))),
  ));

test("the Mission Log has one line for each record, in order", () =>
  always(({ journal, view }, { entries }) => {
    const log = renderMissionLog(journal.list());
    expect(log).toBe(renderMissionLogRows(view.rows()));
    const lines = log === "" ? [] : log.split("\n").slice(1);
    expect(lines.map((line) => /^- \[done\] (.*?): /.exec(line)?.[1])).toEqual(
      entries.map((entry) => entry.id.replace("\n", "\\n")),
    );
  }));

test("the exported history alone restores the view after every event", () =>
  always(({ view, events }) => {
    const projection = projectJournal(JSON.parse(JSON.stringify(historyOf(events))));
    expect(projection.rows).toEqual(view.rows());
    expect(projection.mission_log).toBe(renderMissionLogRows(view.rows()));
  }));

test("the size limit of a view depends on its current content, not on earlier content", () => {
  const large = "x".repeat(1_900);
  const entry = (name: string) => ({ id: name, value: large, at: START, by: "task" });
  const view = new JournalView();
  for (let round = 0; round < 1_000; round++) {
    view.add(entry("again"), "text");
    view.remove("again");
    view.add(entry("over"), "text");
  }
  expect(view.add(entry("last"), "text")).toMatchObject({ value: large });
  expect(new JournalView(view.rows()).add(entry("next"), "text")).toMatchObject({ value: large });
});

test("beyond its size a view shows a record by its text and its size in bytes", () => {
  const view = new JournalView();
  const row = view.add({ id: "a", value: "ü".repeat(2_000), at: START, by: "anna", note: "n" }, "text");
  expect(row).toEqual({ id: "a", bytes: 4_002, text: "text", at: START, by: "anna", note: "n" });
  const rows = Array.from({ length: 400 }, (_, i) =>
    view.add({ id: `${i}`, value: "x".repeat(1_500), at: 0, by: "t" }, "t"),
  );
  expect(rows[0]).toHaveProperty("value");
  expect(rows.at(-1)).toMatchObject({ bytes: 1_502 });
  expect(rows.at(-1)).not.toHaveProperty("value");
});

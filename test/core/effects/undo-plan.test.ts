import fc from "fast-check";
import type { EffectEntry, EffectState } from "../../../src/core/effects/entry";
import { mergeLedgers } from "../../../src/core/effects/ledger";
import { type UndoPlan, undoPlan } from "../../../src/core/effects/undo/undo-plan";
import { undoSteps } from "../../../src/core/effects/undo/undo-steps";
import { assertProperty } from "../../support/run/property";

const MISSION = "agent/order";

let count = 0;
/** An effect that can be undone, unless its fields say otherwise. */
function done(fields: Partial<EffectEntry> = {}): EffectEntry {
  count += 1;
  const id = `${count}`.padStart(43, "x");
  return {
    key: `${MISSION}~${id}~1`,
    id,
    tool: "pay",
    effect: "write",
    state: "done",
    lane: "",
    n: 1,
    at: count,
    turn: 1,
    call: 1,
    args: { order: count },
    answer: { tx: count },
    undo: true,
    ...fields,
  };
}

function planOf(entries: EffectEntry[], to?: string, recorded_at?: number): UndoPlan {
  const plan = undoPlan(MISSION, entries, { to, recorded_at });
  if (!plan.ok) throw new Error(plan.fail.message);
  return plan.value;
}

describe("the plan to undo a mission", () => {
  test("undoes the last effect first", () => {
    const entries = [done({ task: "a" }), done({ task: "b" }), done({ task: "c" })];
    expect(planOf(entries).steps.map(({ task }) => task)).toEqual(["c", "b", "a"]);
  });

  test.each<[EffectState | "no undo" | "long", Partial<EffectEntry>, string, string]>([
    ["intended", { state: "intended" }, "under_way", "its call is under way"],
    ["unknown", { state: "unknown" }, "unknown_outcome", "nobody knows whether it was done"],
    ["no undo", { undo: undefined as never }, "no_undo", "tool/pay has no undo"],
    ["long", { answer: undefined as never }, "not_kept", "its arguments or its answer were too long to be kept"],
  ])("an effect remains: %s", (_, fields, obstacle, why) => {
    const { steps, remaining, needless } = planOf([done(fields)]);
    expect({ steps, needless }).toEqual({ steps: [], needless: [] });
    expect(remaining).toMatchObject([{ obstacle, why }]);
  });

  test.each<[EffectState, string, string]>([
    ["undone", "undone", "it is undone already"],
    ["refused", "not_done", "it was not done: refused: not today"],
    ["failed", "not_done", "it was not done: failed: not today"],
  ])("an effect that is %s needs no undo", (state, obstacle, why) => {
    const { steps, remaining, needless } = planOf([done({ state, message: "not today" })]);
    expect({ steps, remaining }).toEqual({ steps: [], remaining: [] });
    expect(needless).toMatchObject([{ obstacle, why, state }]);
  });

  test("costs what the tools say, and tells how many do not", () => {
    const entries = [done({ undo_cost: 0.5 }), done({ undo_cost: 0 }), done(), done({ state: "undone", undo_cost: 9 })];
    expect(planOf(entries).cost).toEqual({ known: 0.5, unknown: 1 });
  });

  test.each([
    { it: "a task of a journal", to: "b", left: ["c"] },
    { it: "the last task", to: "c", left: [] },
    { it: "a task of a plan", to: "ship it", left: ["b", "c"] },
  ])("ends after a record: $it", ({ to, left }) => {
    const entries = [
      done({ task: "a", lane: "ship%0020it@2" }),
      done({ task: "b", lane: "x" }),
      done({ task: "c", lane: "y" }),
    ];
    expect(planOf(entries, to).steps.map(({ task }) => task)).toEqual(left.reverse());
  });

  test("a record without effects counts by the time at which it was made", () => {
    const [a, b] = [done({ task: "a" }), done({ task: "b" })];
    expect(planOf([a, b], "decided", b.at).steps).toMatchObject([{ task: "b" }]);
  });

  test("nobody knows the record", () => {
    const plan = undoPlan(MISSION, [done({ task: "a" })], { to: "b" });
    expect(plan).toMatchObject({ ok: false, fail: { reason: "not_found", details: { records: ["a"] } } });
  });

  const entries = fc.array(
    fc.record({
      state: fc.constantFrom<EffectState>("intended", "done", "refused", "failed", "unknown", "undone"),
      at: fc.integer({ min: 0, max: 20 }),
      can: fc.boolean(),
      kept: fc.boolean(),
    }),
    { maxLength: 20 },
  );
  const ledger = entries.map((list) =>
    list.map(({ state, at, can, kept }, i): EffectEntry => {
      const { undo: _, answer: __, ...entry } = done({ state, at });
      const key = `${MISSION}~${"k".repeat(43)}~${i}`;
      return { ...entry, key, ...(can ? { undo: true as const } : {}), ...(kept ? { answer: null } : {}) };
    }),
  );

  test("names each effect once, and the later one never after the earlier one", () =>
    assertProperty(
      fc.property(ledger, (list) => {
        const { steps, remaining, needless } = planOf(list);
        const keys = [...steps, ...remaining, ...needless].map(({ key }) => key);
        expect([...keys].sort()).toEqual(list.map(({ key }) => key).sort());
        for (const part of [steps, remaining, needless])
          expect(part.map(({ at }) => at)).toEqual(part.map(({ at }) => at).sort((a, b) => b - a));
      }),
    ));

  test("has another digest as soon as it would undo or leave something else", () =>
    assertProperty(
      fc.property(ledger, ledger, (a, b) => {
        const content = ({ steps, remaining }: UndoPlan) =>
          JSON.stringify([steps.map(({ key }) => key), remaining.map(({ key, obstacle }) => [key, obstacle])]);
        const [first, second] = [planOf(a), planOf(b)];
        expect(first.digest === second.digest).toBe(content(first) === content(second));
      }),
    ));

  test("when all steps are undone, nothing is left but what was announced", async () =>
    assertProperty(
      fc.asyncProperty(ledger, async (list) => {
        const plan = planOf(list);
        const { undone } = await undoSteps(plan.steps, async () => ({ ok: true, value: null }), "stop");
        const after = list.map((entry) =>
          undone.includes(entry.key) ? { ...entry, state: "undone" as const } : entry,
        );
        const { steps, remaining } = planOf(after);
        expect({ steps, remaining }).toEqual({ steps: [], remaining: plan.remaining });
      }),
    ));
});

describe("undoing the steps of a plan", () => {
  const failing = (bad: string, code: string) => async (step: { key: string }) =>
    step.key === bad
      ? { ok: false as const, fail: { reason: "tool_error" as const, message: "no", details: { code } } }
      : { ok: true as const, value: null };

  test.each([
    { on_failure: "stop" as const, code: "tool_error", outcome: "failed", undone: 1, left: 1 },
    { on_failure: "continue" as const, code: "unknown_outcome", outcome: "unknown", undone: 2, left: 0 },
  ])("after a failure: $on_failure", async ({ on_failure, code, outcome, undone, left }) => {
    const { steps } = planOf([done(), done(), done()]);
    const bad = steps[1]?.key as string;
    const result = await undoSteps(steps, failing(bad, code), on_failure);
    expect(result).toMatchObject({ failed: [{ key: bad, tool: "pay", outcome, message: "no" }] });
    expect({ undone: result.undone.length, left: result.left.length }).toEqual({ undone, left });
  });
});

describe("the ledger of a mission, from the ledgers of its runs", () => {
  const entry = done();
  const as = (state: EffectState, by?: string): EffectEntry => ({ ...entry, state, ...(by && { by }) });

  test.each([
    { it: "the first run is right", above: as("failed", "ann"), below: as("unknown"), state: "failed" },
    { it: "an agent has done it since", above: as("failed"), below: as("done"), state: "done" },
    { it: "it was undone", above: as("undone"), below: as("done"), state: "undone" },
    { it: "it was undone below", above: as("done"), below: as("undone"), state: "undone" },
  ])("$it", ({ above, below, state }) => {
    expect(mergeLedgers([[above], [below, done()]])).toMatchObject([{ state }, { state: "done" }]);
  });
});

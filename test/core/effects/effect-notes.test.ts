import { effectChangeText, effectNotes } from "../../../src/core/effects/effect-notes";
import { effectsSummary } from "../../../src/core/effects/effects-summary";
import type { EffectEntry, EffectState } from "../../../src/core/effects/entry";

/** Effects in the words of people. */
const entry = (more: Partial<EffectEntry> = {}): EffectEntry => ({
  key: "agent/x~id~1",
  id: "id",
  tool: "pay",
  effect: "write",
  state: "done",
  lane: "",
  n: 1,
  at: 0,
  turn: 1,
  call: 1,
  ...more,
});

const of = (...states: EffectState[]) => effectsSummary(states.map((state) => ({ state })));

test.each([
  [of(), "no effects"],
  [of("done"), "1 effect: 1 done"],
  [of("unknown", "done", "done"), "3 effects: 2 done, 1 unknown"],
  [of("intended", "failed", "refused", "undone"), "4 effects: 1 undone, 1 refused, 1 failed, 1 under way"],
])("%s", (text, expected) => expect(text).toBe(expected));

test.each<[Partial<EffectEntry>, string[]]>([
  [{}, []],
  [{ reused: 1 }, ["not done again, its answer was given once more"]],
  [{ held_by: `agent/a~${"x".repeat(43)}~1` }, ["made by another mission: agent/a"]],
  [{ reused: 3, resembles: "k" }, ["not done again, its answer was given 3 times more", "resembles k"]],
  [{ state: "failed", message: "no money" }, ["no money"]],
])("what is not ordinary about %j", (more, notes) => expect(effectNotes(entry(more))).toEqual(notes));

test.each<[Partial<EffectEntry>, Partial<EffectEntry> | undefined, string]>([
  [{ reused: 1 }, undefined, "not done again: pay"],
  [{ reused: 2, by: "anna" }, { reused: 1 }, "not done again: pay"],
  [{ by: "lookup" }, undefined, "looked up: pay had happened"],
  [{ by: "anna", reused: 1 }, { reused: 1 }, "had happened: pay, by anna"],
  [{ state: "failed", by: "anna" }, undefined, "had not happened: pay, by anna"],
  [{ state: "unknown" }, undefined, "answer lost: pay"],
  [{ state: "refused", by: "anna" }, undefined, "refused: pay, by anna"],
])("a change to %j is told", (more, before, text) =>
  expect(effectChangeText(entry(more), before && entry(before))).toBe(text),
);

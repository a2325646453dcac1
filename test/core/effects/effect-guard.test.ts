import fc from "fast-check";
import {
  EffectGuard,
  type GuardClaim,
  type GuardSettle,
  MAX_CLAIMED,
  MAX_OTHERS,
  missionOf,
} from "../../../src/core/effects/effect-guard";
import { effectKey, guardOfKey, readEffectKey, sharedKey } from "../../../src/core/effects/effect-key";
import { assertProperty } from "../../support/run/property";

const ID = "a".repeat(43);
const guardedEffectOf = (mission: string, n = 1, lane = "") => effectKey({ mission, id: ID, lane, n });

const claim = (mission: string, n = 1, more: Partial<GuardClaim> = {}): GuardClaim => ({
  deed: guardedEffectOf(mission, n),
  workflow_id: mission,
  tool: "pay",
  at: 1,
  turn: 1,
  ...more,
});

const yours = (n: number) => ({ state: "yours", n });
const heldBy = (mission: string, state: string, n = 1) => ({
  state: "held",
  holder: expect.objectContaining({ n, state, workflow_id: mission }),
});

test("the first mission gets the effect, and the same claim again has the same answer", () => {
  const guard = new EffectGuard();
  expect(guard.claim(claim("agent/a"))).toEqual(yours(1));
  expect(guard.claim(claim("agent/a"))).toEqual(yours(1));
  expect(guard.claim(claim("agent/b"))).toEqual(heldBy("agent/a", "claimed"));
});

test("what a mission means twice is two effects, and the second of another mission means the second", () => {
  const guard = new EffectGuard();
  expect(guard.claim(claim("agent/a", 1))).toEqual(yours(1));
  expect(guard.claim(claim("agent/a", 2))).toEqual(yours(2));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a", 1), state: "done", answer: 1 });
  guard.settle({ n: 2, deed: guardedEffectOf("agent/a", 2), state: "done", answer: 2 });
  expect(guard.claim(claim("agent/b", 1))).toEqual(heldBy("agent/a", "done", 1));
  expect(guard.claim(claim("agent/b", 2))).toEqual(heldBy("agent/a", "done", 2));
  expect(guard.claim(claim("agent/b", 2))).toEqual(heldBy("agent/a", "done", 2));
  expect(guard.claim(claim("agent/b", 3))).toEqual(yours(3));
});

test("a further effect has a new number", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "done" });
  guard.claim(claim("agent/b"));
  expect(guard.claim(claim("agent/b", 1, { again: true }))).toEqual(yours(2));
  expect(guard.claim(claim("agent/b", 1, { again: true }))).toEqual(yours(2));
});

test("what was not done is taken over with its number, and the mission that failed hears of it", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "failed" });
  expect(guard.claim(claim("agent/b"))).toEqual(yours(1));
  expect(guard.claim(claim("agent/a"))).toEqual(heldBy("agent/b", "claimed"));
  expect(guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "done" })).toBe(false);
});

test("a mission whose call had failed means the one that another mission made, wherever it asks again", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "failed" });
  guard.claim(claim("agent/b"));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/b"), state: "done" });
  const inAgent = { deed: guardedEffectOf("agent/a", 1, "0.payer.1") };
  expect(guard.claim(claim("agent/a", 1, inAgent))).toEqual(heldBy("agent/b", "done"));
  expect(guard.claim(claim("agent/a", 1, inAgent))).toEqual(heldBy("agent/b", "done"));
  expect(guard.claim(claim("agent/a"))).toEqual(yours(2));
});

test("of two missions that found the holder lost one takes the effect over", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  expect(guard.claim(claim("agent/b", 1, { over: 1 }))).toEqual(yours(1));
  expect(guard.claim(claim("agent/c", 1, { over: 1 }))).toEqual(heldBy("agent/b", "claimed"));
});

test("a holder that has claimed again since does not lose the effect", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "unknown" });
  expect(guard.claim(claim("agent/b"))).toMatchObject({ holder: { claims: 1, state: "unknown" } });
  expect(guard.claim(claim("agent/a"))).toEqual(yours(1));
  const told = { n: 1, deed: guardedEffectOf("agent/a"), claims: 1 };
  expect(guard.settle({ ...told, state: "failed" })).toBe(false);
  expect(guard.claim(claim("agent/b", 1, { over: 1 }))).toEqual(heldBy("agent/a", "claimed"));
  expect(guard.settle({ ...told, state: "done" })).toBe(true);
});

test("what is done is not taken over, and the holder itself hears that it is done", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "unknown" });
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "done", answer: { tx: 1 } });
  expect(guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "failed" })).toBe(false);
  expect(guard.claim(claim("agent/b", 1, { over: 1 }))).toEqual(heldBy("agent/a", "done"));
  expect(guard.claim(claim("agent/a"))).toMatchObject({ state: "held", holder: { answer: { tx: 1 } } });
});

test("an effect that was taken back is nobody's any more, and its number is not given again", () => {
  const guard = new EffectGuard();
  guard.claim(claim("agent/a"));
  expect(guard.settle({ n: 1, state: "undone" })).toBe(false);
  guard.settle({ n: 1, deed: guardedEffectOf("agent/a"), state: "done" });
  expect(guard.settle({ n: 1, state: "undone" })).toBe(true);
  expect(guard.claim(claim("agent/b"))).toEqual(yours(2));
});

test("a guard that was lost learns the number of an effect from its mission", () => {
  const guard = new EffectGuard();
  expect(guard.claim(claim("agent/a", 1, { n: 4 }))).toEqual(yours(4));
  expect(guard.claim(claim("agent/a", 2))).toEqual(yours(5));
});

test("its state is bounded", () => {
  const guard = new EffectGuard();
  const args = { text: "x".repeat(1_900) };
  for (let n = 1; n <= 3 * MAX_CLAIMED; n++) {
    guard.claim(claim("agent/a", n, { args }));
    guard.settle({ n, deed: guardedEffectOf("agent/a", n), state: "done", answer: "y".repeat(16_000) });
  }
  for (let i = 0; i < MAX_OTHERS + 50; i++)
    for (let n = 1; n <= 12; n++) guard.claim(claim(`agent/${i}${"m".repeat(190)}`, n));
  expect(guard.claimed()).toHaveLength(MAX_CLAIMED);
  const state = guard.state();
  expect(JSON.stringify(state).length).toBeLessThan(1_000_000);
  expect(new EffectGuard(state).claim(claim("agent/a", 3 * MAX_CLAIMED))).toMatchObject({
    holder: { answer: expect.any(String) },
  });
});

test("keys: the guard is found from the key of its effect, in each project", () => {
  for (const mission of ["agent/x", "task/effect", "shop:plan/7"]) {
    const key = sharedKey(mission, ID, 3);
    const prefix = mission.startsWith("shop:") ? "shop:" : "";
    expect(key).toBe(`${prefix}effect~${ID}~3`);
    expect(readEffectKey(key)).toEqual({ mission: `${prefix}effect`, id: ID, lane: "", n: 3 });
    expect(guardOfKey(key)).toEqual({ workflow_id: `${prefix}effect/${ID}`, n: 3 });
    expect(guardOfKey(effectKey({ mission, id: ID, lane: "", n: 3 }))).toBeUndefined();
  }
});

/** Missions that claim, settle and take over in any order, as runs do. */
const action = fc.record({
  mission: fc.integer({ min: 0, max: 3 }),
  deed: fc.integer({ min: 1, max: 3 }),
  does: fc.constantFrom("claim", "again", "done", "failed", "unknown", "over", "continue"),
});

test("no effect is made by two missions at a time, none is made after it is done, and numbers are never given twice", () => {
  assertProperty(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      let guard = new EffectGuard();
      const making = new Map<number, string>();
      const done = new Set<number>();
      const asked = new Map<string, number>();
      for (const { mission, deed: nth, does } of actions) {
        const name = `agent/${mission}`;
        const deed = guardedEffectOf(name, nth);
        if (does === "continue") guard = new EffectGuard(guard.state());
        else if (does === "claim" || does === "again" || does === "over") {
          const over = asked.get(deed);
          const said = guard.claim(
            claim(name, nth, does === "again" ? { again: true } : does === "over" && over ? { over } : {}),
          );
          if (said.state === "yours") {
            expect(done.has(said.n)).toBe(false);
            const other = making.get(said.n);
            // Only one that is found lost loses its effect to another.
            if (other !== undefined && other !== deed) expect(does).toBe("over");
            making.set(said.n, deed);
          } else {
            asked.set(deed, said.holder.claims);
            if (said.holder.deed !== deed) expect(missionOf(said.holder.deed)).not.toBe(name);
          }
        } else {
          const found = [...making].find(([, one]) => one === deed);
          if (found === undefined) continue;
          const settle: GuardSettle = { n: found[0], deed, state: does };
          expect(guard.settle(settle)).toBe(true);
          if (does === "done") done.add(found[0]);
          if (does !== "unknown") making.delete(found[0]);
        }
      }
    }),
  );
});

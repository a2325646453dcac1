import fc from "fast-check";
import { PMap, PSet, Vec } from "../../../../src/core/lisp/values/collections";
import { Float, Keyword, type Value } from "../../../../src/core/lisp/values/values";
import { assertProperty } from "../../../support/run/property";

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom<Value>(null, true, false, "a", "b", "", "__proto__", 10n ** 20n),
  fc.integer({ min: -20, max: 20 }).map((n) => new Float(n)),
  fc.constantFrom("a", "b", "c").map(Keyword.of),
);
const key: fc.Arbitrary<Value> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }).map((items) => Vec.from([...items])),
  fc.array(fc.tuple(scalar, scalar), { maxLength: 3 }).map((entries) => PMap.from(entries)),
);

/** What a key is, as text: an independent notion of "the same key". */
function spell(value: Value): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" || typeof value === "bigint") return `i${value}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Float) return `f${value.n === 0 ? 0 : value.n}`;
  if (value instanceof Keyword) return `:${value.name}`;
  if (value instanceof Vec) return `[${value.toArray().map(spell).join(" ")}]`;
  if (value instanceof PMap)
    return `{${value
      .entries()
      .map(([k, v]) => `${spell(k)} ${spell(v)}`)
      .sort()
      .join(" ")}}`;
  throw new Error("unexpected");
}

test("a map behaves like an ordered list of entries, for every order of additions and removals", () => {
  const step = fc.tuple(fc.boolean(), key, fc.integer());
  assertProperty(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let map: PMap<Value> = PMap.empty;
      const model = new Map<string, [Value, Value]>();
      for (const [add, k, v] of steps) {
        const before = map;
        const size = before.size;
        map = add ? map.assoc(k, v) : map.dissoc(k);
        expect(before.size).toBe(size);
        expect(before.entries()).toHaveLength(size);
        if (!add) model.delete(spell(k));
        else model.set(spell(k), [model.get(spell(k))?.[0] ?? k, v]);
        expect(map.entries().map(([a, b]) => `${spell(a)}=${spell(b)}`)).toEqual(
          [...model.values()].map(([a, b]) => `${spell(a)}=${spell(b)}`),
        );
        expect(map.get(k)).toBe(model.get(spell(k))?.[1]);
      }
    }),
  );
});

test("two vectors made from the same one by conj do not see each other's elements", () => {
  const base = Vec.of(1, 2);
  const a = base.conj(3);
  const b = base.conj(4);
  expect([base, a, b].map((v) => v.toArray())).toEqual([
    [1, 2],
    [1, 2, 3],
    [1, 2, 4],
  ]);
});

test("a part of a vector grows on its own", () => {
  const whole = Vec.of(1, 2, 3);
  const part = whole.slice(0, 2).conj(9);
  expect(whole.toArray()).toEqual([1, 2, 3]);
  expect(part.toArray()).toEqual([1, 2, 9]);
  expect(whole.slice(1).conj(4).toArray()).toEqual([2, 3, 4]);
  expect(whole.toArray()).toEqual([1, 2, 3]);
});

// Were each step a copy, it would not end before the test's own limit.
test("a map of 200,000 keys can be built by assoc", () => {
  let map: PMap<Value> = PMap.empty;
  for (let i = 0; i < 200_000; i++) map = map.assoc(`k${i}`, i);
  expect(map.size).toBe(200_000);
  expect(map.keys()[9_999]).toBe("k9999");
});

test("1 and 1.0 are two members of a set, an equal vector is one", () => {
  expect(PSet.from([1, new Float(1), Vec.of(1), Vec.of(1)]).size).toBe(3);
});

import fc from "fast-check";
import type { Json } from "../../../../src/core/base/json";
import { applyJsonDelta, jsonDelta } from "../../../../src/core/base/json/json-delta";
import { assertProperty } from "../../../support/run/property";

const text = (value: unknown): string => JSON.stringify(value);

/** A value, and one that is mostly the same. */
const pairs = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 })).chain(([one, other]) =>
  fc.constantFrom(
    [one, other],
    [one, one],
    [
      { a: one, b: [1, one] },
      { a: one, b: [1, one, other] },
    ],
    [{ a: one, b: { c: other } }, { b: { c: one, d: other } }],
    [
      { a: one, b: other },
      { b: other, a: one },
    ],
    [[one, other], [other]],
    [[one], { 0: one }],
  ),
);

test("a delta makes the other value, key by key in its order, also as JSON", () => {
  assertProperty(
    fc.property(pairs, ([before, after]) => {
      const [a, b] = [before as Json, after as Json];
      const delta = jsonDelta(a, b);
      const sent = delta === undefined ? undefined : JSON.parse(text(delta));
      expect(text(applyJsonDelta(a, sent))).toBe(text(b));
      if (text(a) === text(b)) expect(delta).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test("a key may be that of the prototype", () => {
  const [before, after] = ['{"m":{"x":1}}', '{"m":{"x":1,"__proto__":{"k":1}},"__proto__":2}'];
  const [one, other] = [JSON.parse(before), JSON.parse(after)] as [Json, Json];
  expect(text(applyJsonDelta(one, jsonDelta(one, other)))).toBe(after);
  expect(text(applyJsonDelta(other, jsonDelta(other, one)))).toBe(before);
});

test.each([
  ["the end of a list", { log: [1, 2] }, { log: [1, 2, 3] }, { in: { log: { keep: 2, add: [3] } } }],
  ["a shorter list", [1, 2], [1], { keep: 1, add: [] }],
  ["one of many keys", { a: 1, b: 2 }, { a: 1, b: 3 }, { in: { b: { is: 3 } } }],
  ["a key that is gone", { a: 1, b: 2 }, { b: 2 }, { in: {}, gone: ["a"] }],
  ["a key without a value", { a: 1 }, { a: undefined, b: 2 }, { in: { b: { is: 2 } }, gone: ["a"] }],
  ["keys in another order", { a: 1, b: 2 }, { b: 2, a: 1 }, { is: { b: 2, a: 1 } }],
  ["nothing", { a: [{ b: null }] }, { a: [{ b: null }] }, undefined],
])("it has %s alone", (_, before, after, delta) => {
  expect(jsonDelta(before as Json, after as Json)).toEqual(delta);
});

import fc from "fast-check";
import { foreignParts } from "../../../../prove/sandbox/foreign-parts";
import type { Json, JsonObject } from "../../../../src/core/base/json";
import { decodeMemory, decodeValue, encodeMemory, LispError, printValue } from "../../../../src/core/lisp";
import { runAlone } from "../../../../src/core/lisp/machine/run-alone";
import { assertProperty, cases } from "../../../support/run/property";

/** Definitions as they are kept, and what becomes of them when somebody has been at them. */

function kept(source: string): JsonObject {
  const { outcome, memory } = runAlone(source);
  if (outcome.kind !== "value") throw new Error(`no value: ${source}`);
  return encodeMemory(memory);
}

const GOOD = kept(`
  (def data {:a [1 2.5 -0.0 99999999999999999999 ##NaN] "b" #{:k "s"} [1] nil "$fn" {"$kw" 1}})
  (def times [(java.util.Date. 0) (LocalDate/parse "2024-02-29")])
  (def rate 2)
  (defn cost "of n" [n & more] (let [f (fn [x {:keys [y] :or {y 1}}] (* x y rate n))] (f 1 {})))
  (def inner (let [a 1 b {:c [a]}] (fn [x] [a b x #"a(b)?" #'rate])))
  (def made [(juxt :a inc) (fnil + 0) (where [:a "b"] > 3) (all-of number? pos?) #(vector % %2) str #"x+" #'cost])
`);

type Change = { at: number; to: Json; key: string; how: number };
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  to: fc.constantFrom<Json>(
    null,
    1,
    -1,
    "",
    "x",
    "(",
    "1",
    "(fn [x] x)",
    "#(",
    [],
    {},
    [[1]],
    [[1, 2, 3]],
    { $fn: "x" },
    { $native: "where" },
    1e300,
  ),
  key: fc.constantFrom(
    "$fn",
    "$native",
    "$builtin",
    "$regex",
    "$var",
    "$set",
    "$map",
    "$kw",
    "$int",
    "$float",
    "$date",
    "$instant",
    "captured",
    "literals",
    "name",
    "doc",
    "__proto__",
    "constructor",
  ),
  how: fc.nat(2),
});

/** The JSON with one of its parts replaced, left out, or called otherwise. */
function changed(json: Json, { at, to, key, how }: Change): Json {
  let left = at % Math.max(1, count(json));
  const walk = (one: Json): Json => {
    if (left-- === 0) return to;
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== "object" || one === null) return one;
    const entries = Object.entries(one).map(([name, inner]): [string, Json] => {
      const here = left === 0 && how > 0;
      return [here && how === 1 ? key : name, walk(inner)];
    });
    return Object.fromEntries(entries);
  };
  return walk(json);
}

const count = (json: Json): number =>
  typeof json === "object" && json !== null ? Object.values(json).reduce<number>((sum, one) => sum + count(one), 1) : 1;

test("changed definitions are read, or refused with a reason", () => {
  let [read, refused] = [0, 0];
  assertProperty(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const given = changes.reduce<Json>((json, one) => changed(json, one), GOOD);
      if (typeof given !== "object" || given === null || Array.isArray(given)) return;
      try {
        const memory = decodeMemory(JSON.parse(JSON.stringify(given)));
        for (const value of memory.values()) {
          expect(foreignParts(value)).toEqual([]);
          printValue(value);
        }
        expect(encodeMemory(decodeMemory(encodeMemory(memory)))).toEqual(encodeMemory(memory));
        read += 1;
      } catch (error) {
        if (!(error instanceof LispError)) throw error;
        refused += 1;
      }
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(read, refused)).toBeGreaterThan(cases(5_000) / 10);
});

test("any JSON is read as a value", () => {
  assertProperty(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom("$kw", "$int", "$float", "$date", "$instant", "$set", "$map"),
      (json, tag) => {
        for (const one of [json, { [tag]: json }, [{ [tag]: [json, [json, json]] }]] as Json[]) {
          const value = decodeValue(one);
          expect(foreignParts(value)).toEqual([]);
          printValue(value);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test.each<[string, Json]>([
  ["a date beyond the host's", { $instant: 1e300 }],
  ["a date that is none", { $date: "constructor" }],
  ["an integer that no arithmetic gives", { $int: "1".repeat(10_001) }],
])("%s is read as the same map", (_, json) => expect(printValue(decodeValue(json))).toMatch(/^\{"\$/));

test.each<[string, Json]>([
  ["a function without values", { $fn: "(fn [x] x)", captured: 1 }],
  ["a function whose text is none", { $fn: "1", captured: {} }],
  ["a function with an empty text", { $fn: "", captured: {} }],
  ["a form that does not exist", { $native: "constructor", literals: [], captured: [] }],
  ["a condition without its field", { $native: "where", literals: [1], captured: [] }],
  ["a builtin that does not exist", { $builtin: "toString" }],
  ["an entry that is no pair", { $map: [[1, 2, 3]] }],
])("%s is refused", (_, json) => expect(() => decodeMemory({ f: json })).toThrow(LispError));

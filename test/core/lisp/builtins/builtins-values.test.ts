import { graphemes } from "../../../../src/core/lisp/text/graphemes";
import { PMap, PSet, Vec } from "../../../../src/core/lisp/values/collections";
import { decodeValue, encodeValue, fromJson } from "../../../../src/core/lisp/values/encode";
import { equalValues } from "../../../../src/core/lisp/values/equality";
import { LispError } from "../../../../src/core/lisp/values/errors";
import { lookup } from "../../../../src/core/lisp/values/lookup";
import { compareText, compareTotal } from "../../../../src/core/lisp/values/order";
import { toPlainJson } from "../../../../src/core/lisp/values/plain-json";
import { printValue, strValue } from "../../../../src/core/lisp/values/print";
import { Float, Instant, Keyword, LocalDate, type Value } from "../../../../src/core/lisp/values/values";
import { evaluate } from "../run";

const k = Keyword.of;
const f = (n: number) => new Float(n);
const map = (...entries: [Value, Value][]) => PMap.from(entries);

test.each<[string, Value, Value, boolean]>([
  ["an integer and the same float", 1, f(1), true],
  ["them inside vectors", Vec.of(1, Vec.of(2)), Vec.of(f(1), Vec.of(f(2))), true],
  ["them as values of maps", map(["a", 1]), map(["a", f(1)]), true],
  ["them as keys of maps", map([1, "a"]), map([f(1), "a"]), false],
  ["a keyword and its name", k("a"), "a", false],
  ["NaN and NaN", f(Number.NaN), f(Number.NaN), false],
  ["maps in another order", map(["a", 1], ["b", 2]), map(["b", 2], ["a", 1]), true],
  ["a big integer and the same float", 2n ** 60n, f(2 ** 60), true],
  ["nil and false", null, false, false],
])("equality of %s", (_, a, b, same) => expect(equalValues(a, b)).toBe(same));

test("the total order puts numbers before words, maps, vectors and strings", () => {
  const values: Value[] = ["b", Vec.of(1), PMap.empty, k("a"), f(2.5), "B", null, 2, true, f(Number.NaN)];
  expect(values.sort(compareTotal).map((v) => printValue(v))).toEqual([
    "2",
    "2.5",
    "##NaN",
    ":a",
    "nil",
    "true",
    "{}",
    "[1]",
    '"B"',
    '"b"',
  ]);
});

test("text is compared by code points, not by UTF-16 units", () => {
  expect(compareText("\u{1f600}", "\uffee")).toBeGreaterThan(0);
  expect("\u{1f600}" < "\uffee").toBe(true);
});

test.each<[string, Value, string]>([
  ["whole float", f(2), "2.0"],
  ["float of many decimals", f(0.1 + 0.2), "0.3"],
  ["large float", f(1e10), "10000000000.0"],
  ["infinity", f(Number.NEGATIVE_INFINITY), "##-Inf"],
  ["string with quotes and line end", 'a"b\n', '"a\\"b\\n"'],
  [
    "map sorted by key, hidden keys left out",
    map(["b", 1], [k("z"), map(["_x", 1], ["y", 2])], [k("_h"), 3]),
    '{:z {"y" 2} "b" 1}',
  ],
  ["set", PSet.from([2, 1]), "#{2 1}"],
  ["instant", new Instant(0), '"1970-01-01T00:00:00Z"'],
])("a %s prints", (_, value, text) => expect(printValue(value)).toBe(text));

test("limits cut collections, strings and maps", () => {
  expect(printValue(Vec.of(1, 2, 3, 4), { items: 2 })).toBe("[1 2 ...] (4 items, showing first 2)");
  expect(printValue(map([k("a"), 1], [k("b"), 2]), { items: 1 })).toBe("{:a 1 ...}");
  expect(printValue("abcdefgh", { chars: 3 })).toBe('"abc..."');
  expect(printValue(f(2.34567), { decimals: 2 })).toBe("2.35");
});

test.each<[Value, string]>([
  [f(2), "2.0"],
  [f(1e20), "1.0e20"],
  [f(0.000001), "1.0e-6"],
  [f(1234.5), "1234.5"],
  [f(Number.NaN), "NaN"],
  [null, ""],
  [k("a-b"), ":a-b"],
  [new LocalDate("2031-05-04"), "2031-05-04"],
  [Vec.of("a", null), '["a" nil]'],
])("str of %p is %s", (value, text) => expect(strValue(value)).toBe(text));

test("println joins vectors of single characters and prints other vectors whole", () => {
  expect(evaluate('(println ["a" "b"] ["ab"] [] "x")').prints).toEqual(['ab ["ab"] [] x']);
});

test.each<[string, Value]>([
  ["keyword keys", map([k("a"), 1])],
  ["keys that collide", map([k("a"), 1], ["a", 2])],
  ["a key that looks like a tag", map(["$kw", "x"])],
  ["odd keys", map([1, 2], [f(1), 3], [Vec.of(1), null])],
  ["floats", Vec.of(f(4), f(-0), f(0.5), f(Number.NaN), f(Number.POSITIVE_INFINITY))],
  ["big integers", 10n ** 30n],
  ["sets and dates", PSet.from([new Instant(5), new LocalDate("2031-05-04")])],
  ["the key __proto__", map(["__proto__", 1], ["constructor", 2])],
])("exact encoding of %s gives the same value back", (_, value) => {
  const json = JSON.parse(JSON.stringify(encodeValue(value, { exact: true })));
  expect(printValue(decodeValue(json))).toBe(printValue(value));
  expect(encodeValue(decodeValue(json), { exact: true })).toEqual(encodeValue(value, { exact: true }));
});

test("the readable encoding writes keyword keys as plain keys and tags only what JSON cannot say", () => {
  expect(encodeValue(map([k("a"), Vec.of(k("b"), f(1.5), f(2), PSet.from([1]))]))).toEqual({
    a: [{ $kw: "b" }, 1.5, 2, { $set: [1] }],
  });
  expect(encodeValue(map([k("a"), 1], ["a", 2]))).toEqual({
    $map: [
      [{ $kw: "a" }, 1],
      ["a", 2],
    ],
  });
});

test("plain data is read without interpreting tags, and every key is an ordinary key", () => {
  const value = fromJson(JSON.parse('{"$kw":"x","__proto__":{"a":1.5}}'));
  expect(printValue(value)).toBe('{"$kw" "x"}');
  expect(printValue(lookup(value, "__proto__")!)).toBe('{"a" 1.5}');
  expect(toPlainJson(map([k("a"), PSet.from([k("b"), f(Number.NaN)])], [1, f(2)]))).toEqual({ a: ["b", null], "1": 2 });
});

test("lookup finds the other form of a key, the given form first", () => {
  expect(lookup(map(["a", 1]), k("a"))).toBe(1);
  expect(lookup(map([k("a"), 1]), "a")).toBe(1);
  expect(lookup(map([k("a"), 1], ["a", 2]), "a")).toBe(2);
  expect(lookup(map(["a", null]), k("a"))).toBeNull();
  expect(lookup(Vec.of(7), -1)).toBeUndefined();
});

const deep = (): Value => Array.from({ length: 20_000 }).reduce<Value>((inner) => Vec.of(inner), 1);
const wide = (): Value => Array.from({ length: 60 }).reduce<Value>((inner) => Vec.of(inner, inner), 1);

test.each<[string, (value: Value, twin: Value) => unknown]>([
  ["print", (value) => printValue(value)],
  ["encode", (value) => encodeValue(value)],
  ["return", (value) => toPlainJson(value)],
  ["compare", (value, twin) => equalValues(value, twin)],
  ["sort", (value, twin) => compareTotal(value, twin)],
  ["collect in a set", (value, twin) => PSet.from([value, twin])],
])("to %s a value that is nested too deeply or shares its parts many times is a program error", (_, walk) => {
  expect(() => walk(deep(), deep())).toThrow(LispError);
  expect(() => walk(wide(), wide())).toThrow(LispError);
});

test.each([
  ["abc", ["a", "b", "c"]],
  ["ne\u0301e", ["n", "e\u0301", "e"]],
  ["👍🏽a", ["👍🏽", "a"]],
  ["👨‍👩‍👧x", ["👨‍👩‍👧", "x"]],
  ["🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]],
  ["❤️!", ["❤️", "!"]],
  ["a\r\nb", ["a", "\r\n", "b"]],
])("the characters of %j", (text, characters) => expect(graphemes(text)).toEqual(characters));

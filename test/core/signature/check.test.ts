import { fromJson } from "../../../src/core/lisp/values/encode";
import { Float } from "../../../src/core/lisp/values/values";
import { checkValue, joinPath, renderMismatches } from "../../../src/core/signature/check";
import { parseSignature } from "../../../src/core/signature/parse";
import { value } from "./value";

/** What fits a type (lisp reference, sections 15.1 and 15.2). */

const check = (type: string, source: string) =>
  checkValue(parseSignature(type).output, value(source)).map(({ path, message }) => `${path}: ${message}`);

/** Type -> what it takes of the values; everything else is refused. */
const VALUES = {
  string: '"a"',
  int: "4",
  "int (big)": "(* 9007199254740991 9007199254740991)",
  float: "4.0",
  bool: "false",
  keyword: ":a",
  nil: "nil",
  list: "[1]",
  map: "{:a 1}",
  set: "#{1}",
  function: "(fn [x] x)",
};

describe.each([
  { type: ":string", takes: ["string"] },
  { type: ":int", takes: ["int", "int (big)"] },
  { type: ":float", takes: ["float", "int", "int (big)"] },
  { type: ":bool", takes: ["bool"] },
  { type: ":keyword", takes: ["keyword"] },
  { type: ":map", takes: ["map"] },
  { type: ":any", takes: Object.keys(VALUES) },
  { type: ":int?", takes: ["int", "int (big)", "nil"] },
  { type: ":any?", takes: Object.keys(VALUES) },
  { type: "[:any]", takes: ["list"] },
  { type: "[:int]", takes: ["list"] },
  { type: "{}", takes: ["map"] },
  { type: "{a :int}", takes: ["map"] },
])("$type", ({ type, takes }) => {
  test.each(Object.entries(VALUES))("%s", (kind, source) => {
    const word = type.startsWith("[") ? "list" : type.startsWith("{") ? "map" : type.slice(1).replace("?", "");
    const got = kind.replace(" (big)", "");
    expect(check(type, source)).toEqual(takes.includes(kind) ? [] : [`: expected ${word}, got ${got}`]);
  });
});

test.each([
  [Number.POSITIVE_INFINITY, "##Inf"],
  [Number.NEGATIVE_INFINITY, "##-Inf"],
  [Number.NaN, "##NaN"],
])("%p is not a :float, because no caller could read it", (n, word) =>
  expect(checkValue(parseSignature(":float").output, new Float(n))).toEqual([
    { path: "", message: `expected float, got ${word}` },
  ]),
);

describe("fields", () => {
  test.each<[string, string, string[]]>([
    ["{a :int}", "{}", ["a: expected field, got nil"]],
    ["{a :int}", "{:a nil}", ["a: expected int, got nil"]],
    ["{a :int?}", "{}", []],
    ["{a :int?}", "{:a nil}", []],
    ["{a :any}", "{}", ["a: expected field, got nil"]],
    ["{a :any}", "{:a nil}", []],
    ["{a [:int]}", "{}", ["a: expected field, got nil"]],
    ["{a :int}", '{"a" 1}', []],
    ["{a :int}", "{:a 1 :b 2}", []],
    ["{total-sum :int}", "{:total_sum 1}", []],
    ["{total_sum :int}", "{:total-sum 1}", []],
    ["{total-sum :int}", '{"total-sum" "x"}', ["total_sum: expected int, got string"]],
    ["{total_sum :int}", '{"total-sum" 1}', []],
    ["{total-sum :any}", "{:total_sum nil}", []],
    ["{_secret :int}", "{:_secret 1}", []],
    ["{constructor :int}", "{}", ["constructor: expected field, got nil"]],
    ["{length :int}", '{:length "x"}', ["length: expected int, got string"]],
  ])("%s over %s: %j", (type, source, found) => expect(check(type, source)).toEqual(found));
});

test("every mismatch is named, depth first, in the order of the fields", () => {
  const type = "{b {c [:int], d :string}, items [{id :int, tags [:keyword?]}], a :bool}";
  const source = '{:a 1 :b {:c [1 "x" nil]} :items [{:id 1 :tags [:k nil 7]} 5 {:tags {}}]}';
  expect(check(type, source)).toEqual([
    "b.c[1]: expected int, got string",
    "b.c[2]: expected int, got nil",
    "b.d: expected field, got nil",
    "items[0].tags[2]: expected keyword, got int",
    "items[1]: expected map, got int",
    "items[2].id: expected field, got nil",
    "items[2].tags: expected list, got map",
    "a: expected bool, got int",
  ]);
});

test("a value from outside is checked like one from a program", () => {
  const { output } = parseSignature("{n :int, list [:float]}");
  expect(checkValue(output, fromJson({ n: 1.5, list: [1, 2.5, "3"] }))).toEqual([
    { path: "n", message: "expected int, got float" },
    { path: "list[2]", message: "expected float, got string" },
  ]);
});

test.each([
  ["return", "", "return"],
  ["return", "a", "return.a"],
  ["return", "[0].a", "return[0].a"],
  ["", "a", "a"],
  ["items[0]", "id", "items[0].id"],
])("the path %j in %j is %s", (root, path, place) => expect(joinPath(root, path)).toBe(place));

test("mismatches for people have their whole paths and are joined by semicolons", () => {
  const found = [
    { path: "", message: "expected map, got int" },
    { path: "[0].id", message: "expected int, got string" },
  ];
  expect(renderMismatches(found)).toBe("return: expected map, got int; return[0].id: expected int, got string");
  expect(renderMismatches(found, "args")).toBe("args: expected map, got int; args[0].id: expected int, got string");
  expect(renderMismatches([])).toBe("");
});

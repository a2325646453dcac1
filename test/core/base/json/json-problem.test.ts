import { runInNewContext } from "node:vm";
import { jsonFault, jsonProblem } from "../../../../src/core/base/json/json-problem";

class Money {
  constructor(readonly cents: number) {}
}
const circle: { self?: unknown } = {};
circle.self = { back: circle };
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};
const doubled = (times: number): unknown => {
  let value: unknown = [1];
  for (let i = 0; i < times; i++) value = [value, value];
  return value;
};

test.each([
  { name: "NaN", value: { a: [1, Number.NaN] }, path: "a[1]", says: "NaN; a number must be finite" },
  { name: "Infinity", value: { a: Number.POSITIVE_INFINITY }, path: "a", says: "Infinity; a number must be finite" },
  { name: "a bigint", value: { order: { id: 42n } }, path: "order.id", says: "bigint; use a number or a text" },
  { name: "a Date", value: { due: new Date(0) }, path: "due", says: "a Date; use a text, as in date.toISOString()" },
  { name: "a Map", value: { a: new Map() }, path: "a", says: "a Map; use an object" },
  { name: "a Set", value: { a: new Set() }, path: "a", says: "a Set; use a list" },
  { name: "bytes", value: { a: Buffer.from("x") }, path: "a", says: "a Uint8Array; use a text" },
  { name: "undefined", value: { a: undefined }, path: "a", says: "undefined; use null, or leave it out" },
  { name: "a hole in a list", value: { a: new Array(2) }, path: "a[0]", says: "undefined" },
  { name: "a function", value: { a: { f: () => 1 } }, path: "a.f", says: "function" },
  { name: "a symbol", value: { a: Symbol("x") }, path: "a", says: "symbol" },
  { name: "a key that is a symbol", value: { a: { [Symbol("x")]: 1 } }, path: "a", says: "a key is a symbol" },
  { name: "an instance of a class", value: { price: new Money(5) }, path: "price", says: "a Money" },
  { name: "an error", value: { e: new Error("x") }, path: "e", says: "a Error" },
  { name: "a promise", value: { p: Promise.resolve(1) }, path: "p", says: "a Promise" },
  { name: "an awkward key", value: { "a b": { "c.d": 1n } }, path: '["a b"]["c.d"]', says: "bigint" },
  { name: "a circle", value: circle, path: "self.back", says: "it contains itself" },
  {
    name: "depth",
    value: { a: deep(201) },
    path: expect.stringMatching(/^a\[0\]\[0\]/),
    says: "nested more than 200 levels deep",
  },
  {
    name: "shared parts without end",
    value: doubled(60),
    path: expect.stringMatching(/^\[0\]\[0\]/),
    says: "more than 1000000 values",
  },
])("$name is found with its place", ({ value, path, says }) => {
  expect(jsonFault(value)).toEqual({ path, message: expect.stringContaining(says) });
  expect(jsonProblem(value)).toContain(says);
});

test.each([
  ["null", null],
  ["all that JSON has", { a: [1, "x", true, null, { b: {} }], "": -1.5, constructor: 1 }],
  ["an object of another realm", runInNewContext("({a: [1, {b: 2}]})")],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
  ["an own key __proto__", JSON.parse('{"__proto__": {"a": 1}}')],
  ["the same part twice", ((part) => ({ a: part, b: [part, part] }))({ x: 1 })],
  ["depth up to the limit", deep(200)],
])("%s is JSON", (_name, value) => expect(jsonFault(value)).toBeUndefined());

test("an integer that JSON may have rounded is found where it is asked for", () => {
  const value = JSON.parse('{"order": {"id": 9007199254740993, "rate": 1e300, "sum": 0.1, "last": 9007199254740991}}');
  expect(jsonFault(value)).toBeUndefined();
  expect(jsonFault(value, { exactIntegers: true })).toEqual({
    path: "order.id",
    message: expect.stringContaining("pass it as text"),
  });
});

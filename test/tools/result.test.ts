import { MAX_PAYLOAD_BYTES } from "../../src/core/base/limits";
import { toolResultJson } from "../../src/tools/result";

class Money {
  cents = 1;
}
const loop: { self?: unknown } = {};
loop.self = loop;

describe("a tool's result as JSON", () => {
  test.each([
    { it: "nothing", value: undefined, json: null },
    { it: "a text", value: "x", json: "x" },
    { it: "undefined in lists and objects", value: { a: [undefined, 1], b: undefined }, json: { a: [null, 1] } },
    { it: "a date", value: { at: new Date(0) }, json: { at: "1970-01-01T00:00:00.000Z" } },
    { it: "a URL", value: new URL("http://a.b/c"), json: "http://a.b/c" },
    { it: "an object without prototype", value: Object.assign(Object.create(null), { a: 1 }), json: { a: 1 } },
  ])("$it is kept", ({ value, json }) => expect(toolResultJson(value)).toEqual(json));

  test("a key called __proto__ is an ordinary key", () =>
    expect(JSON.stringify(toolResultJson(JSON.parse('{"__proto__": {"a": 1}}')))).toBe('{"__proto__":{"a":1}}'));

  test.each([
    { it: "NaN", value: { total: [1, Number.NaN] }, says: "result.total[1] is NaN" },
    { it: "infinity", value: Number.POSITIVE_INFINITY, says: "result is Infinity" },
    { it: "a bigint", value: { id: 1n }, says: "result.id is a bigint" },
    { it: "a function", value: () => 1, says: "result is a function" },
    { it: "a map", value: { m: new Map([[1, 2]]) }, says: "result.m is a Map" },
    { it: "a class instance", value: new Money(), says: "result is a Money" },
    { it: "a promise that was not awaited", value: { a: Promise.resolve(1) }, says: "result.a is a Promise" },
    { it: "an object in itself", value: loop, says: "nested deeper than 200" },
  ])("$it is refused with its path", ({ value, says }) => expect(() => toolResultJson(value)).toThrow(says));

  test("a result larger than a payload is refused with its size", () => {
    const text = "x".repeat(MAX_PAYLOAD_BYTES);
    expect(() => toolResultJson({ text })).toThrow(
      `the result is ${MAX_PAYLOAD_BYTES + 11} bytes; the limit is 1900000`,
    );
    expect(toolResultJson(text.slice(2))).toHaveLength(MAX_PAYLOAD_BYTES - 2);
  });
});

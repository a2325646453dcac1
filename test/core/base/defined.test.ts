import { defined } from "../../../src/core/base/defined";

describe("defined", () => {
  test("leaves out what is undefined, and keeps null, false, 0 and empty texts", () => {
    const given: Record<string, unknown> = { a: undefined, b: null, c: false, d: 0, e: "" };
    expect(Object.keys(defined(given))).toEqual(["b", "c", "d", "e"]);
  });

  test("keeps the order of the keys, as histories have it", () => {
    expect(JSON.stringify({ id: 1, ...defined({ z: 1, b: undefined, a: 2 }) })).toBe('{"id":1,"z":1,"a":2}');
  });

  test("does not change the object that it was given", () => {
    const given = { a: undefined, b: 1 };
    defined(given);
    expect(Object.keys(given)).toEqual(["a", "b"]);
  });
});

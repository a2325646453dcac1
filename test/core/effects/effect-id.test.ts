import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { canonicalJson } from "../../../src/core/effects/canonical-json";
import { type EffectSpec, effectId, identityArguments, toolVersion } from "../../../src/core/effects/effect-id";
import { assertProperty } from "../../support/run/property";

const pay: EffectSpec = { name: "pay", version: "1", effect: "irreversible", identity: ["invoice", "cents"] };

/** By another implementation, of a canonical text that was written by hand. */
const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("base64url");

describe("canonical JSON (RFC 8785)", () => {
  test("the example of the RFC", () => {
    const value = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    ) as Json;
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test("keys are in the order of their UTF-16 code units", () => {
    const value = { "\u20ac": 5, "\r": 1, "\ufb33": 7, "1": 2, "\u{1f600}": 6, "\u0080": 3, "\u00f6": 4 };
    expect(canonicalJson(value)).toBe('{"\\r":1,"1":2,"\u0080":3,"\u00f6":4,"\u20ac":5,"\u{1f600}":6,"\ufb33":7}');
  });

  test.each([
    { it: "negative zero", value: -0, text: "0" },
    { it: "a whole float", value: 1.0, text: "1" },
    { it: "the largest safe integer", value: 9007199254740991, text: "9007199254740991" },
    { it: "a number from 1e21 on", value: 1e21, text: "1e+21" },
    { it: "half a surrogate pair", value: "\ud800", text: String.raw`"\ud800"` },
    { it: "the text of its escape", value: String.raw`\ud800`, text: String.raw`"\\ud800"` },
    { it: "a key __proto__", value: JSON.parse('{"b":1,"__proto__":2}') as Json, text: '{"__proto__":2,"b":1}' },
  ])("$it", ({ value, text }) => expect(canonicalJson(value)).toBe(text));

  test("a number that JSON does not have is refused", () =>
    expect(() => canonicalJson([Number.NaN])).toThrow(
      expect.objectContaining({ code: "invalid_input", details: { path: "value" } }),
    ));

  test("values have one text exactly if they are equal", () =>
    assertProperty(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [one, other] = [a, b].map((value) => JSON.parse(JSON.stringify(value)) as Json) as [Json, Json];
        expect(JSON.parse(canonicalJson(one))).toEqual(one);
        expect(canonicalJson(one) === canonicalJson(other)).toBe(isDeepStrictEqual(one, other));
      }),
    ));
});

describe("effect ids", () => {
  test("the id is the SHA-256 of tool, version and identity arguments", () => {
    const id = effectId(pay, { memo: "lamps", invoice: "A-1", cents: 500 });
    expect(id).toBe(sha256('{"args":{"cents":500,"invoice":"A-1"},"tool":"pay","version":"1"}'));
    expect(id).toBe("UdSY7QYREZUe7YwMK3wTpUbhalEpLt1vQMaqM6yyAeU");
  });

  test("without an identity all arguments count", () => {
    const { identity: _, ...all } = pay;
    const id = effectId(all, { memo: "lämps 😀", at: [1, { b: null, a: 0.5 }] });
    expect(id).toBe(sha256('{"args":{"at":[1,{"a":0.5,"b":null}],"memo":"lämps 😀"},"tool":"pay","version":"1"}'));
  });

  test("without a version the declaration is the version", () => {
    const spec: EffectSpec = {
      name: "pay",
      effect: "write",
      signature: "(b :int, a :int) -> :any",
      identity: ["b", "a"],
    };
    const version = sha256(
      '{"effect":"write","identity":["a","b"],"name":"pay","signature":"(b :int, a :int) -> :any"}',
    );
    expect(toolVersion(spec)).toBe(version);
    expect(effectId(spec, { a: 1 })).toBe(sha256(`{"args":{"a":1},"tool":"pay","version":"${version}"}`));
    expect(toolVersion({ name: "pay", effect: "write" })).toBe(
      sha256('{"effect":"write","identity":null,"name":"pay","signature":null}'),
    );
  });

  test("it has 43 characters of base64url, as another implementation writes them", () =>
    assertProperty(
      fc.property(fc.string(), fc.string({ unit: "grapheme" }), (tool, memo) => {
        const id = effectId({ name: tool, version: "1", effect: "write" }, { memo });
        expect(id).toBe(
          sha256(`{"args":{"memo":${JSON.stringify(memo)}},"tool":${JSON.stringify(tool)},"version":"1"}`),
        );
        expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
      }),
    ));

  test("the order of arguments does not matter", () =>
    assertProperty(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        const given = args as JsonObject;
        const turned = Object.fromEntries(Object.entries(given).reverse());
        const { identity: _, ...all } = pay;
        expect(effectId(all, turned)).toBe(effectId(all, given));
      }),
    ));

  test("free text does not matter, and each identity argument does", () =>
    assertProperty(
      fc.property(fc.string(), fc.integer(), fc.integer(), fc.jsonValue(), (invoice, cents, other, memo) => {
        fc.pre(cents !== other);
        const id = effectId(pay, { invoice, cents });
        expect(effectId(pay, { memo: memo as Json, cents, invoice })).toBe(id);
        expect(effectId(pay, { invoice, cents: other })).not.toBe(id);
        expect(effectId(pay, { invoice: `${invoice}1`, cents })).not.toBe(id);
        expect(effectId({ ...pay, version: "2" }, { invoice, cents })).not.toBe(id);
        expect(effectId({ ...pay, name: "pay2" }, { invoice, cents })).not.toBe(id);
      }),
    ));

  test.each<{ it: string; identity?: string[]; args: JsonObject; counts: JsonObject }>([
    { it: "an argument that is null counts as left out", args: { a: 1, b: null }, counts: { a: 1 } },
    { it: "inside an argument null counts", args: { a: { b: null } }, counts: { a: { b: null } } },
    { it: "false, 0 and an empty text count", args: { a: false, b: 0, c: "" }, counts: { a: false, b: 0, c: "" } },
    { it: "- and _ make one name", args: { "order-id": 1 }, counts: { order_id: 1 } },
    { it: "two arguments stay two", args: { "a-b": 1, a_b: 2 }, counts: { "a-b": 1, a_b: 2 } },
    {
      it: "an identity picks its arguments",
      identity: ["order-id"],
      args: { order_id: 1, b: 2 },
      counts: { order_id: 1 },
    },
    { it: "an identity that is left out is absent", identity: ["a", "b"], args: { b: 2 }, counts: { b: 2 } },
    { it: "an empty identity makes all calls one effect", identity: [], args: { b: 2 }, counts: {} },
  ])("$it", ({ identity, args, counts }) =>
    expect(identityArguments(identity === undefined ? {} : { identity }, args)).toEqual(counts),
  );
});

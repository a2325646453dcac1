import fc from "fast-check";
import type { Json } from "../../../src/core/base/json";
import { fromJson, type Value } from "../../../src/core/lisp";
import { Vec } from "../../../src/core/lisp/values/collections";
import { checkValue, renderMismatches } from "../../../src/core/signature/check";
import { coerceValue } from "../../../src/core/signature/coerce";
import { outputSchema, parametersSchema } from "../../../src/core/signature/json-schema/write-schema";
import { parseSignature, type Signature, SignatureError } from "../../../src/core/signature/parse";
import { renderSignature } from "../../../src/core/signature/render";
import { assertProperty, cases } from "../../support/run/property";

/** Signatures with mistakes, and values that fit none: there is always an answer, and it is short. */

const GOOD = [
  "(order_id :int) -> {status :string, _raw :map?}",
  "(a :string, b-c [:float], d {e :keyword, f [{g :any?}]}) -> [{id :int, tags [:string]}]",
  "() -> :bool?",
  "[[:int]]",
  "{__proto__ :int, constructor :string?, toString {hasOwnProperty [:any]}}",
];
const TOKENS = [
  ...[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "->",
    ",",
    ":",
    ":int",
    ":string?",
    ":float",
    ":any",
    ":map?",
    ":constructor",
    ":__proto__",
    "?",
  ],
  ...[
    "name",
    "a-b",
    "a_b",
    "__proto__",
    "prototype",
    "1",
    "-",
    "\n",
    "\t",
    "\r",
    "\u00a0",
    "é",
    "\ud800",
    "\0",
    '"',
    "[:int]",
    "{x :int}",
  ],
];

const tokensOf = (text: string): string[] => text.match(/->|[\w-]+|:\w+\??|\s+|./gs) ?? [];

const signatures = fc
  .tuple(
    fc.constantFrom(...GOOD),
    fc.array(
      fc.record({ at: fc.nat(60), drop: fc.nat(3), put: fc.array(fc.constantFrom(...TOKENS), { maxLength: 2 }) }),
      { maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes
      .reduce((tokens, { at, drop, put }) => tokens.toSpliced(at % (tokens.length + 1), drop, ...put), tokensOf(text))
      .join(""),
  );

const field = fc.constantFrom(
  "a",
  "b-c",
  "b_c",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "status",
  "id",
  "tags",
  "g",
);
const values: fc.Arbitrary<Value> = fc
  .letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(null, 0, 1.5, 2 ** 60, "", "12", "true", "x".repeat(3_000), true, []),
      fc.array(tie("json"), { maxLength: 4 }),
      fc.array(fc.tuple(field, tie("json")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  .json.map((json) => fromJson(json));

function parsed(text: string): Signature | undefined {
  try {
    return parseSignature(text);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    const { line, column, message } = error;
    const lines = text.split("\n");
    if (!(line >= 1 && line <= lines.length && column >= 1 && column <= (lines[line - 1] as string).length + 1))
      throw new Error(`no such place: ${message}`);
    return undefined;
  }
}

test("a signature is read and written back unchanged, or its mistake has a place", () => {
  let [read, refused] = [0, 0];
  assertProperty(
    fc.property(signatures, values, (text, value) => {
      const signature = parsed(text);
      if (signature === undefined) {
        refused += 1;
        return;
      }
      read += 1;
      const { parameters, output } = signature;
      const again = parseSignature(renderSignature(signature));
      if (JSON.stringify(again) !== JSON.stringify(signature))
        throw new Error(`written as ${renderSignature(signature)}`);
      JSON.stringify([outputSchema(output), parametersSchema(parameters)]);
      const found = checkValue(output, value);
      if (renderMismatches(found).length > 20_000) throw new Error("too much is told");
      const coerced = coerceValue(output, value);
      if (!coerced.ok && coerced.message.length > 2_000) throw new Error("too much is told");
      // What fits as it is can be read; what was read fits.
      if (found.length === 0 && !coerced.ok) throw new Error(`fits, and is refused: ${coerced.message}`);
      if (coerced.ok && checkValue(output, coerced.value).length > 0) throw new Error("was read, and does not fit");
    }),
    { numRuns: 15_000 },
  );
  expect(Math.min(read, refused)).toBeGreaterThan(cases(15_000) / 10);
});

/** Ten parts of ten parts, and so on: nothing in memory, and more leaves than can ever be looked at. */
const vast = (depth: number): Value =>
  Array.from({ length: depth }).reduce<Value>((inner) => Vec.from(new Array<Value>(10).fill(inner)), 1);
const nestedList = (type: string, depth: number) => parseSignature("[".repeat(depth) + type + "]".repeat(depth)).output;

test.each([
  [":int", [{ path: "", message: "value too large to check" }]],
  [":string", expect.arrayContaining([{ path: `${"[0]".repeat(20)}`, message: "expected string, got int" }])],
])("a value with shared parts is not fully traversed for lists of %s", (type, mismatches) => {
  expect(checkValue(nestedList(type, 20), vast(20))).toEqual(mismatches);
  expect(coerceValue(nestedList(type, 20), vast(20))).toMatchObject({ ok: false });
});

test("only the first of a million wrong elements are listed", () => {
  const found = checkValue(nestedList(":string", 1), Vec.from(new Array<Value>(1_000_000).fill(1)));
  expect(found).toHaveLength(50);
});

test("any number of fields is read in time", () => {
  const fields = Array.from({ length: 50_000 }, (_, i) => `f${i} :int`).join(", ");
  expect(parseSignature(`{${fields}}`).output).toMatchObject({ kind: "record" });
  expect(() => parseSignature(`{${fields}, f0 :int}`)).toThrow(/field f0 is given twice/);
});

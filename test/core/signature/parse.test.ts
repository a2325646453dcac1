import fc from "fast-check";
import {
  PRIMITIVES,
  parseSignature,
  type Signature,
  SignatureError,
  type Type,
} from "../../../src/core/signature/parse";
import { renderFields, renderParameterWords, renderSignature, renderType } from "../../../src/core/signature/render";
import { assertProperty } from "../../support/run/property";

/** The grammar of signatures (lisp reference, section 15.1). */
const typed = (name: string, optional = false) => ({ kind: "primitive", name, optional });
const HINT = "types are :string :int :float :bool :keyword :map :any; for lists use [:type], for maps {field :type}";

describe("a type", () => {
  test.each([...PRIMITIVES])("can be :%s, or :%s? for nil as well", (name) => {
    expect(parseSignature(`:${name}`)).toEqual({ parameters: [], output: typed(name) });
    expect(parseSignature(`:${name}?`).output).toEqual(typed(name, true));
  });

  test.each<[string, object]>([
    ["[:int]", { kind: "list", of: typed("int") }],
    ["[:int?]", { kind: "list", of: typed("int", true) }],
    ["[[:string]]", { kind: "list", of: { kind: "list", of: typed("string") } }],
    ["[ :any ]", { kind: "list", of: typed("any") }],
    ["{}", { kind: "record", fields: [] }],
    ["{ }", { kind: "record", fields: [] }],
    ["{a :int}", { kind: "record", fields: [{ name: "a", type: typed("int") }] }],
    [
      "{ total-sum :float ,\n\t_ids [:int] }",
      {
        kind: "record",
        fields: [
          { name: "total-sum", type: typed("float") },
          { name: "_ids", type: { kind: "list", of: typed("int") } },
        ],
      },
    ],
    [
      "{a{b:int}}",
      {
        kind: "record",
        fields: [{ name: "a", type: { kind: "record", fields: [{ name: "b", type: typed("int") }] } }],
      },
    ],
    [
      "{constructor :int, __proto__ :int}",
      {
        kind: "record",
        fields: [
          { name: "constructor", type: typed("int") },
          { name: "__proto__", type: typed("int") },
        ],
      },
    ],
  ])("can be %s", (text, output) => expect(parseSignature(text)).toEqual({ parameters: [], output }));
});

describe("a whole signature", () => {
  test.each<[string, string[]]>([
    ["() -> :int", []],
    ["( )->:int", []],
    [" (a :string) -> :int ", ["a"]],
    ["(a :string, b-c {x :int}, _d [:any])\r\n-> {e :int?}", ["a", "b-c", "_d"]],
  ])("%j", (text, names) => expect(parseSignature(text).parameters.map(({ name }) => name)).toEqual(names));
});

describe("an invalid signature is refused with line, column and what is expected", () => {
  test.each<[string, number, number, string]>([
    ["", 1, 1, `expected a type; ${HINT}`],
    ["  \n ", 2, 2, `expected a type; ${HINT}`],
    ["int", 1, 1, `expected a type; ${HINT}`],
    [":integer", 1, 1, `:integer is not a type; ${HINT}`],
    [":list", 1, 1, `:list is not a type; ${HINT}`],
    [":object", 1, 1, `:object is not a type; ${HINT}`],
    [":str?", 1, 1, `:str? is not a type; ${HINT}`],
    [":Int", 1, 1, `:Int is not a type; ${HINT}`],
    [":", 1, 1, `: is not a type; ${HINT}`],
    [":constructor", 1, 1, `:constructor is not a type; ${HINT}`],
    [":int :int", 1, 6, 'unexpected ":int"'],
    [":int??", 1, 6, "only a primitive type can be optional, as in :int?"],
    ["[:int]?", 1, 7, "only a primitive type can be optional, as in :int?"],
    ["{a :int}?", 1, 9, "only a primitive type can be optional, as in :int?"],
    ["[]", 1, 2, "a list needs the type of its elements: [:any] takes everything"],
    ["[:int", 1, 6, 'expected "]"'],
    ["[:int :int]", 1, 7, 'expected "]"'],
    ["{a}", 1, 3, `expected a type; ${HINT}`],
    ["{a :int,}", 1, 9, "expected a field name followed by its type, as in name :string"],
    ["{a :int b :int}", 1, 9, 'expected "," between fields or "}" after the last one'],
    ["{1 :int}", 1, 2, "expected a field name followed by its type, as in name :string"],
    ["{:a :int}", 1, 2, "expected a field name followed by its type, as in name :string"],
    ["{a :int", 1, 8, 'expected "," between fields or "}" after the last one'],
    ["{a :int, a :int}", 1, 10, "field a is given twice"],
    ["{a_b :int, a-b :int}", 1, 12, "field a-b is given twice"],
    ["(a :int)", 1, 9, 'expected "->" and the output type after the parameters'],
    ["(a :int) > :int", 1, 10, 'expected "->" and the output type after the parameters'],
    ["(a :int) ->", 1, 12, `expected a type; ${HINT}`],
    ["(a :int -> :int", 1, 9, 'expected "," between fields or ")" after the last one'],
    ["-> :int", 1, 1, `expected a type; ${HINT}`],
    ["(a :int) ->\n  {b :int,\n   c int}", 3, 6, `expected a type; ${HINT}`],
    ["(a :int) -> :int, :int", 1, 17, 'unexpected ", :int"'],
  ])("%j at %i:%i: %s", (text, line, column, problem) => {
    const parse = () => parseSignature(text);
    expect(parse).toThrow(SignatureError);
    try {
      parse();
    } catch (error) {
      expect(error).toMatchObject({
        line,
        column,
        problem,
        message: `parse error at line ${line}, column ${column}: ${problem}`,
      });
    }
  });

  test("types can be nested up to fifty levels", () => {
    expect(() => parseSignature(`${"[".repeat(49)}:int${"]".repeat(49)}`)).not.toThrow();
    expect(() => parseSignature(`${"[".repeat(50)}:int${"]".repeat(50)}`)).toThrow("nested deeper than 50");
    expect(() => parseSignature("[".repeat(100_000))).toThrow("nested deeper than 50");
  });
});

const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,6}$/);
const unique = (fields: { name: string; type: Type }[]) =>
  fields.filter(
    (field, i) =>
      fields.findIndex((other) => other.name.replaceAll("-", "_") === field.name.replaceAll("-", "_")) === i,
  );
const { type } = fc.letrec<{ type: Type; fields: { name: string; type: Type }[] }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small" },
    fc.record({
      kind: fc.constant("primitive" as const),
      name: fc.constantFrom(...PRIMITIVES),
      optional: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("list" as const), of: tie("type") }),
    fc.record({ kind: fc.constant("record" as const), fields: tie("fields") }),
  ),
  fields: fc.array(fc.record({ name, type: tie("type") }), { maxLength: 4 }).map(unique),
}));
const signature: fc.Arbitrary<Signature> = fc.record({
  parameters: fc.array(fc.record({ name, type }), { maxLength: 4 }).map(unique),
  output: type,
});

test("a written signature is read back unchanged", () =>
  assertProperty(fc.property(signature, (one) => expect(parseSignature(renderSignature(one))).toEqual(one))));

test("any other text is refused", () =>
  assertProperty(
    fc.property(fc.string({ unit: fc.constantFrom(..."(){}[]:-> ,?ab_1\nint") }), (text) => {
      try {
        expect(parseSignature(text)).toHaveProperty("output");
      } catch (error) {
        expect(error).toBeInstanceOf(SignatureError);
      }
    }),
  ));

test("types and fields are written in signature notation, parameters for people without colons", () => {
  const { parameters, output } = parseSignature("(query :string, limit :int?) -> {hits [{id :int}]}");
  expect(renderType(output)).toBe("{hits [{id :int}]}");
  expect(renderFields(parameters)).toBe("query :string, limit :int?");
  expect(renderParameterWords(parameters)).toBe("query string, limit int?");
});

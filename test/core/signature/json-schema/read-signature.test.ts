import { argumentNames } from "../../../../src/core/signature/json-schema/argument-names";
import { schemaSignature } from "../../../../src/core/signature/json-schema/read-signature";
import { type Schema, SchemaError, SchemaReader } from "../../../../src/core/signature/json-schema/schema-reader";
import { parseSignature } from "../../../../src/core/signature/parse";

const signature = (input: Schema | undefined, output?: Schema, document: unknown = {}) => {
  const reader = new SchemaReader(document);
  return schemaSignature({ input, output, inputReader: reader, outputReader: reader, rename: true });
};
const object = (properties: Schema["properties"], required = Object.keys(properties ?? {})): Schema => ({
  type: "object",
  ...(properties === undefined ? {} : { properties }),
  required,
});

describe("the signature of a tool with JSON Schema", () => {
  test.each<{ it: string; input: Schema; parameters: string }>([
    { it: "nothing", input: {}, parameters: "()" },
    { it: "no arguments", input: object({}), parameters: "()" },
    {
      it: "primitives",
      input: object({ a: { type: "string" }, b: { type: "integer" }, c: { type: "number" }, d: { type: "boolean" } }),
      parameters: "(a :string, b :int, c :float, d :bool)",
    },
    { it: "an optional one", input: object({ a: { type: "string" } }, []), parameters: "(a :string?)" },
    {
      it: "a required one with a default",
      input: object({ a: { type: "integer", default: 5 } }),
      parameters: "(a :int?)",
    },
    { it: "null among the types", input: object({ a: { type: ["string", "null"] } }), parameters: "(a :string?)" },
    { it: "nullable of OpenAPI", input: object({ a: { type: "string", nullable: true } }), parameters: "(a :string?)" },
    {
      it: "null among alternatives",
      input: object({ a: { anyOf: [{ type: "integer" }, { type: "null" }] } }),
      parameters: "(a :int?)",
    },
    {
      it: "alternatives that agree",
      input: object({ a: { oneOf: [{ type: "string", enum: ["x"] }, { type: "string" }] } }),
      parameters: "(a :string)",
    },
    {
      it: "alternatives that do not",
      input: object({ a: { oneOf: [{ type: "string" }, { type: "integer" }] } }),
      parameters: "(a :any)",
    },
    { it: "an enum without a type", input: object({ a: { enum: ["x", "y"] } }), parameters: "(a :string)" },
    { it: "a constant", input: object({ a: { const: true } }), parameters: "(a :bool)" },
    {
      it: "lists and objects in each other",
      input: object({ a: { type: "array", items: object({ b: { type: "array", items: { type: "string" } } }) } }),
      parameters: "(a [{b [:string]}])",
    },
    { it: "a list of anything", input: object({ a: { type: "array" } }), parameters: "(a [:any])" },
    {
      it: "an object without fields",
      input: object({ a: { type: "object", additionalProperties: { type: "string" } } }),
      parameters: "(a :map)",
    },
    { it: "a schema that is true", input: object({ a: true }), parameters: "(a :any)" },
    {
      it: "a field that only results have",
      input: object({ id: { type: "integer", readOnly: true }, a: { type: "string" } }),
      parameters: "(a :string)",
    },
    {
      it: "names that no program can write",
      input: object({ "filter[from]": { type: "string" }, $top: { type: "integer" }, "2nd": { type: "string" } }),
      parameters: "(filter_from :string, top :int, _2nd :string)",
    },
  ])("$it", ({ input, parameters }) => {
    expect(signature(input)).toBe(`${parameters} -> :any`);
    expect(() => parseSignature(signature(input))).not.toThrow();
  });

  test("results leave out fields that only a writer sees, and those without a name", () =>
    expect(
      signature(
        undefined,
        object({ id: { type: "integer" }, secret: { type: "string", writeOnly: true }, "@type": { type: "string" } }),
      ),
    ).toBe("() -> {id :int}"));

  test("references and allOf are followed", () => {
    const document = {
      $defs: {
        "a/b": { type: "integer" },
        Base: object({ id: { $ref: "#/$defs/a~1b" } }),
        Item: { allOf: [{ $ref: "#/$defs/Base" }, object({ sku: { type: "string" } })] },
      },
    };
    expect(signature(object({ item: { $ref: "#/$defs/Item" } }), undefined, document)).toBe(
      "(item {id :int, sku :string}) -> :any",
    );
  });

  test("a recursive schema is shown once, then it is a map", () => {
    const document = {
      $defs: {
        Tree: object({ name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } }),
        Either: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/Either" } }] },
      },
    };
    expect(signature(object({ tree: { $ref: "#/$defs/Tree" } }), { $ref: "#/$defs/Either" }, document)).toBe(
      "(tree {name :string, children [:map]}) -> :any",
    );
  });

  test.each([
    ["#/$defs/Nothing", "leads nowhere"],
    ["other.yaml#/Item", "leads out of the document"],
    ["#/$defs/Self", "contains itself"],
  ])("the reference %s is refused: %s", (ref, problem) => {
    const call = () =>
      signature(object({ a: { $ref: ref } }), undefined, { $defs: { Self: { $ref: "#/$defs/Self" } } });
    expect(call).toThrow(SchemaError);
    expect(call).toThrow(problem);
  });

  test("what is too long for a prompt is shown less deeply", () => {
    const wide = (depth: number): Schema =>
      depth === 0
        ? { type: "string" }
        : object(Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`field_${i}`, wide(depth - 1)])));
    const text = signature(object({ id: { type: "integer" } }), wide(6));
    expect(text.length).toBeLessThan(2_000);
    expect(text).toMatch(/^\(id :int\) -> \{field_0 \{field_0 :map/);
  });
});

describe("names of arguments", () => {
  test.each([
    { keys: ["a", "b-c"], names: ["a", "b-c"] },
    { keys: ["X-Request-ID", "filter[a.b]", "@id"], names: ["X-Request-ID", "filter_a_b", "id"] },
    { keys: ["a-b", "a_b", "a.b"], names: ["a-b_2", "a_b", "a_b_3"] },
    { keys: ["a.b", "a_b"], names: ["a_b_2", "a_b"] },
    { keys: ["", "-"], names: ["_", "_-"] },
    { keys: ["日本", "日本語"], names: ["_", "__2"] },
  ])("$keys are $names", ({ keys, names }) => expect(argumentNames(keys).map((one) => one.name)).toEqual(names));
});

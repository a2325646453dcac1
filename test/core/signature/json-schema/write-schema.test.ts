import { outputSchema, parametersSchema } from "../../../../src/core/signature/json-schema/write-schema";
import { parseSignature } from "../../../../src/core/signature/parse";

/** Types as providers want them (lisp reference, section 15.4). */
test("each type has its schema; optional fields are not required; nothing else is allowed", () => {
  const { parameters } = parseSignature(
    "(s :string, i :int?, f :float, b :bool, k :keyword, m :map, a :any, l [:string], r {total-sum :int?, x [{id :int}]}) -> :any",
  );
  expect(parametersSchema(parameters)).toEqual({
    type: "object",
    properties: {
      s: { type: "string" },
      i: { type: "integer" },
      f: { type: "number" },
      b: { type: "boolean" },
      k: { type: "string" },
      m: { type: "object" },
      a: { type: "object" },
      l: { type: "array", items: { type: "string" } },
      r: {
        type: "object",
        properties: {
          total_sum: { type: "integer" },
          x: {
            type: "array",
            items: {
              type: "object",
              properties: { id: { type: "integer" } },
              required: ["id"],
              additionalProperties: false,
            },
          },
        },
        required: ["x"],
        additionalProperties: false,
      },
    },
    required: ["s", "f", "b", "k", "m", "a", "l", "r"],
    additionalProperties: false,
  });
});

test("a list at the root is wrapped, other roots are unchanged", () => {
  expect(outputSchema(parseSignature("[:int]").output)).toEqual({
    type: "object",
    properties: { items: { type: "array", items: { type: "integer" } } },
    required: ["items"],
    additionalProperties: false,
  });
  expect(outputSchema(parseSignature("() -> {n :int}").output)).toMatchObject({ required: ["n"] });
});

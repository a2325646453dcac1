import { type Type, wireName } from "../../signature/parse";

const PRIMITIVE_EXAMPLES = {
  string: '"..."',
  int: "1",
  float: "1.5",
  bool: "true",
  keyword: '"a"',
  map: "{}",
  any: '"..."',
};

/** A value of a type, as JSON text: what an answer may look like. */
export function exampleJson(type: Type): string {
  switch (type.kind) {
    case "list":
      return `[${exampleJson(type.of)}]`;
    case "record":
      return `{${type.fields.map((field) => `"${wireName(field.name)}": ${exampleJson(field.type)}`).join(", ")}}`;
    case "primitive":
      return PRIMITIVE_EXAMPLES[type.name];
  }
}

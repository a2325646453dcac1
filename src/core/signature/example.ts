import type { Json, JsonObject } from "../base/json";
import { type Field, type Type, wireName } from "./parse";

const SAMPLES = { string: "text", int: 1, float: 1.5, bool: true, keyword: "word", any: "text" };

/** A value of a type, to show a model its input. */
function sampleOf(type: Type): Json {
  switch (type.kind) {
    case "list":
      return [sampleOf(type.of)];
    case "record":
      return sampleRecord(type.fields);
    case "primitive":
      return type.name === "map" ? {} : SAMPLES[type.name];
  }
}

/** An object with a made-up value for every field. */
export const sampleRecord = (fields: readonly Field[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [wireName(field.name), sampleOf(field.type)]));

const PRIMITIVE_EXAMPLES = {
  string: '"..."',
  int: "1",
  float: "1.5",
  bool: "true",
  keyword: '"a"',
  map: "{}",
  any: '"..."',
};

/** An example of a value of a type, as JSON text. */
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

/** An example of a value of a type, as PTC-Lisp text. */
export function exampleOf(type: Type): string {
  switch (type.kind) {
    case "list":
      return `[${exampleOf(type.of)}]`;
    case "record":
      return `{${type.fields.map((field) => `:${field.name} ${exampleOf(field.type)}`).join(" ")}}`;
    case "primitive":
      return { string: '"..."', int: "1", float: "1.5", bool: "true", keyword: ":a", map: "{}", any: '"..."' }[
        type.name
      ];
  }
}

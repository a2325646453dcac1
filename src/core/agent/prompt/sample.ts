import type { Json, JsonObject } from "../../base/json";
import { type Field, type Type, wireName } from "../../signature/parse";

const SAMPLES = { string: "text", int: 1, float: 1.5, bool: true, keyword: "word", any: "text" };

/** A value of a type, to show a model what it will be given. */
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

export const sampleRecord = (fields: readonly Field[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [wireName(field.name), sampleOf(field.type)]));

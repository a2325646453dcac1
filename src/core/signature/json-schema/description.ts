import { joinLines } from "../../base/one-line";
import { fitted } from "../../base/whole-characters";
import { wireName } from "../parse";
import { argumentNames } from "./argument-names";
import type { Schema, SchemaOrBoolean, SchemaReader } from "./schema-reader";

const MAX_CHARS = 800;
const MAX_TEXT_CHARS = 400;
const MAX_ARGUMENT_CHARS = 160;

/**
 * A tool's description and those of its arguments, in one line: signatures have no place for text, and every turn pays
 * for the prompt. Undefined if there is none.
 */
export function descriptionOf(
  text: string | undefined,
  input: SchemaOrBoolean | undefined,
  reader: SchemaReader,
): string | undefined {
  const { properties = {} } = reader.read(input);
  const notes = argumentNames(Object.keys(properties)).flatMap(({ name, key }) => {
    const property = reader.read(properties[key]);
    const words = meaning(property);
    return words === "" || property.readOnly === true ? [] : [`${wireName(name)}: ${cut(words, MAX_ARGUMENT_CHARS)}`];
  });
  const whole = [cut(oneLine(text ?? ""), MAX_TEXT_CHARS), notes.join("; ")].filter((part) => part !== "").join(" -- ");
  return whole === "" ? undefined : cut(whole, MAX_CHARS);
}

function meaning(schema: Schema): string {
  const choices = schema.enum?.map((one) => JSON.stringify(one)).join(" | ") ?? "";
  const otherwise = schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`;
  return [oneLine(schema.description ?? ""), choices, otherwise].filter((part) => part !== "").join(", ");
}

const oneLine = (text: string): string => joinLines(text).replace(/\s+/g, " ").trim();

const cut = (text: string, chars: number): string => fitted(text, chars);

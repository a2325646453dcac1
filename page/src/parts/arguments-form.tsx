import { useState } from "preact/hooks";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { type Field, parseSignature, type Type } from "../../../src/core/signature/parse";

/**
 * A form for the arguments of a call, made from its signature (lisp reference, section 15). Primitives have a field of their own, and
 * lists and maps are written as JSON. What is not filled in is left out.
 */

/** The texts of the fields, by name, and what they make. */
export interface ArgumentsDraft {
  texts: { [name: string]: string };
  value: JsonObject;
  /** What is wrong, by the name of the field. */
  problems: { [name: string]: string };
}

/** The parameters of a signature; of one that cannot be read, none. @param parameters without parentheses: `order_id :int` */
export function fieldsOf(parameters: string): Field[] {
  try {
    return parseSignature(`(${parameters}) -> :any`).parameters;
  } catch {
    return [];
  }
}

const isOptional = (type: Type): boolean => type.kind === "primitive" && type.optional;

const textOf = (type: Type, value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  if (type.kind === "primitive" && ["string", "keyword"].includes(type.name) && typeof value === "string") return value;
  return JSON.stringify(value, null, type.kind === "primitive" && type.name !== "map" ? undefined : 2);
};

/** @throws Error with what would be right */
function typedValue(type: Type, text: string): Json {
  if (type.kind === "primitive") {
    if (type.name === "string" || type.name === "keyword") return text;
    if (type.name === "int" || type.name === "float") {
      const n = Number(text);
      if (text.trim() === "" || Number.isNaN(n)) throw new Error("a number is needed");
      if (type.name === "int" && !Number.isSafeInteger(n)) throw new Error("a whole number is needed");
      return n;
    }
    if (type.name === "bool") return text === "true";
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    if (type.kind === "primitive" && type.name === "any") return text;
    throw new Error(type.kind === "list" ? "a list as JSON is needed: [1, 2]" : 'a map as JSON is needed: {"a": 1}');
  }
}

/** What the texts make of the fields. */
export function draftOf(fields: readonly Field[], texts: { [name: string]: string }): ArgumentsDraft {
  const value: JsonObject = {};
  const problems: { [name: string]: string } = {};
  for (const { name, type } of fields) {
    const text = texts[name] ?? "";
    if (text === "" && !(type.kind === "primitive" && type.name === "bool")) {
      if (!isOptional(type) && !(type.kind === "primitive" && type.name === "string")) problems[name] = "it is missing";
      else if (!isOptional(type)) value[name] = "";
      continue;
    }
    try {
      value[name] = typedValue(type, text);
    } catch (error) {
      problems[name] = (error as Error).message;
    }
  }
  return { texts, value, problems };
}

/** The texts that a form begins with. */
export const textsOf = (fields: readonly Field[], given: JsonObject): { [name: string]: string } =>
  Object.fromEntries(fields.map(({ name, type }) => [name, textOf(type, given[name])]));

/** The form. @param changed gets the draft with each change */
export function ArgumentsForm({
  id,
  fields,
  draft,
  changed,
  before,
  isChecked = false,
  refused = {},
}: {
  id: string;
  fields: readonly Field[];
  draft: ArgumentsDraft;
  changed: (draft: ArgumentsDraft) => void;
  /** What was asked: fields that differ from it are marked. */
  before?: JsonObject;
  /** What is wrong is shown for all fields, and not only for those that were left. */
  isChecked?: boolean;
  /** What the server refused, by the name of the field. */
  refused?: { readonly [name: string]: string };
}) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const set = (name: string, text: string) => changed(draftOf(fields, { ...draft.texts, [name]: text }));
  return (
    <div class="form">
      {fields.map(({ name, type }) => {
        const text = draft.texts[name] ?? "";
        const problem = (isChecked || touched.has(name) ? draft.problems[name] : undefined) ?? refused[name];
        const isChanged = before !== undefined && JSON.stringify(before[name]) !== JSON.stringify(draft.value[name]);
        const shared = {
          id: `${id}-${name}`,
          "aria-invalid": problem !== undefined,
          "aria-describedby": `${id}-${name}-note`,
          onBlur: () => setTouched(new Set([...touched, name])),
        } as const;
        return (
          <div class={isChanged ? "field changed" : "field"} key={name}>
            <label for={shared.id}>
              {name} <span class="quiet">{typeText(type)}</span>
            </label>
            {type.kind === "primitive" && type.name === "bool" ? (
              <select {...shared} value={text} onChange={(event) => set(name, event.currentTarget.value)}>
                <option value="false">false</option>
                <option value="true">true</option>
              </select>
            ) : isLong(type, text) ? (
              <textarea {...shared} rows={4} value={text} onInput={(event) => set(name, event.currentTarget.value)} />
            ) : (
              <input
                {...shared}
                type="text"
                inputMode={
                  type.kind === "primitive" && (type.name === "int" || type.name === "float") ? "decimal" : "text"
                }
                value={text}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            )}
            <p class="note" id={`${id}-${name}-note`}>
              {problem ?? (isChanged ? `was ${JSON.stringify(before[name]) ?? "not given"}` : "")}
            </p>
          </div>
        );
      })}
    </div>
  );
}

const isLong = (type: Type, text: string): boolean =>
  type.kind !== "primitive" || type.name === "map" || type.name === "any" || text.length > 80 || text.includes("\n");

/** A type as signatures write it. */
export function typeText(type: Type): string {
  if (type.kind === "primitive") return `${type.name}${type.optional ? ", may be left out" : ""}`;
  if (type.kind === "list") return `list of ${typeText(type.of)}`;
  return `map with ${type.fields.map(({ name }) => name).join(", ")}`;
}

import { useState } from "preact/hooks";
import type { JsonObject } from "../../../src/core/base/json";
import type { Field, Type } from "../../../src/core/signature/parse";
import { type ArgumentsDraft, draftOf, isChanged } from "./arguments-draft";

/**
 * A form for the arguments of a call, made from its signature (lisp reference, section 15). Each primitive has a field, and
 * lists and maps are written as JSON. What is not filled in is left out.
 */

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
        const isMarked = before !== undefined && isChanged(before[name], draft.value[name]);
        const shared = {
          id: `${id}-${name}`,
          "aria-invalid": problem !== undefined,
          "aria-describedby": `${id}-${name}-note`,
          onBlur: () => setTouched(new Set([...touched, name])),
        } as const;
        return (
          <div class={isMarked ? "field changed" : "field"} key={name}>
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
              {problem ?? (isMarked ? `was ${JSON.stringify(before[name]) ?? "not given"}` : "")}
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
function typeText(type: Type): string {
  if (type.kind === "primitive") return `${type.name}${type.optional ? ", may be left out" : ""}`;
  if (type.kind === "list") return `list of ${typeText(type.of)}`;
  return `map with ${type.fields.map(({ name }) => name).join(", ")}`;
}

import { z } from "zod";
import { entriesOf, fromEntries, isArray } from "../base/intrinsics";
import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { onFirstUse } from "../base/on-first-use";
import { wireName } from "../signature/parse";
import { canonicalJson } from "./canonical-json";

/**
 * The input that a tool declares, as far as it matters for which calls are equal (effects reference, section 1): which
 * fields never reach it, and which values stand for a field that is left out. A part that declares neither is `{}`.
 */
export interface DeclaredInput {
  /**
   * The fields of an object. An object that drops all others lists all its fields here; otherwise only those that
   * declare something.
   */
  fields?: { [name: string]: DeclaredInput };
  /** The tool is never given fields that are not named here. */
  drops_others?: true;
  /** Each item of a list. */
  items?: DeclaredInput;
  /** What the tool takes if the field is left out. */
  default?: Json;
}

/** The schema of a `DeclaredInput`. Further fields of a newer version are left out. */
export const declaredInput = onFirstUse(() => {
  const part: z.ZodType<DeclaredInput> = z.lazy(() =>
    z.object(
      {
        fields: z.record(z.string(), part).optional(),
        drops_others: z.literal(true).optional(),
        items: part.optional(),
        default: z.custom<Json>().optional(),
      },
      "must be a map, as defineTool writes it",
    ),
  ) as never;
  return part;
});

/** A field that never reaches the tool: its place in the arguments, and what there is instead. */
interface DroppedField {
  path: string;
  message: string;
}

/** The fields of a call that the tool would never see, each with those that there are. A field that is null counts as left out. */
export function droppedFields(takes: DeclaredInput | undefined, args: JsonObject): DroppedField[] {
  return takes === undefined ? [] : droppedIn(takes, args, "");
}

function droppedIn(takes: DeclaredInput, value: Json, path: string): DroppedField[] {
  const { fields, items, drops_others } = takes;
  if (isArray(value))
    return items === undefined ? [] : value.flatMap((item, i) => droppedIn(items, item, `${path}[${i}]`));
  if (!isObject(value) || fields === undefined) return [];
  return entriesOf(value).flatMap(([name, item]): DroppedField[] => {
    const at = path === "" ? name : `${path}.${name}`;
    if (item === null || item === undefined) return [];
    const field = fieldOf(fields, name);
    if (field !== undefined) return droppedIn(field, item, at);
    if (!drops_others) return [];
    const names = entriesOf(fields).map(([known]) => known);
    const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
    return [{ path: at, message: `the tool does not take it; ${known}` }];
  });
}

/** The arguments without those that equal the tool's defaults. */
export function withoutDefaults(takes: DeclaredInput | undefined, args: JsonObject): JsonObject {
  return takes === undefined ? args : (pruned(args, takes) as JsonObject);
}

function pruned(value: Json, { fields, items }: DeclaredInput): Json {
  if (isArray(value)) return items === undefined ? value : value.map((item) => pruned(item, items));
  if (!isObject(value) || fields === undefined) return value;
  const kept = entriesOf(value).flatMap(([name, item]): [string, Json][] => {
    const field = fieldOf(fields, name);
    if (field === undefined || item === undefined) return [[name, item as Json]];
    const made = pruned(item, field);
    return isDefault(made, field) ? [] : [[name, made]];
  });
  return fromEntries(kept);
}

const isDefault = (made: Json, field: DeclaredInput): boolean =>
  field.default !== undefined && canonicalJson(made) === canonicalJson(pruned(field.default, field));

const ownField = (fields: { [name: string]: DeclaredInput }, name: string): DeclaredInput | undefined =>
  entriesOf(fields).find(([known]) => known === name)?.[1];

/** Programs write `-` where tools have `_`. */
const fieldOf = (fields: { [name: string]: DeclaredInput }, name: string): DeclaredInput | undefined =>
  ownField(fields, name) ?? entriesOf(fields).find(([known]) => wireName(known) === wireName(name))?.[1];

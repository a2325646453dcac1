import { PMap, Vec } from "../lisp/collections";
import { formatFloat } from "../lisp/float-text";
import { lookup } from "../lisp/lookup";
import { Float, Keyword, type Value } from "../lisp/values";
import { type Field, type PrimitiveName, type Type, wireName } from "./parse";

/** One place where a value does not fit; `path` as `items[0].id`, "" for the value itself. */
export interface Mismatch {
  path: string;
  message: string;
}

/**
 * Everything in which a value does not fit a type; strict, except that fields which are not declared are allowed
 * (language reference, section 15.1).
 */
export function checkValue(type: Type, value: Value, options: CheckOptions = {}): Mismatch[] {
  const found: Mismatch[] = [];
  check(type, value, "", { ...options, found });
  return found;
}

export interface CheckOptions {
  /** JSON has no keywords: a text stands for one. */
  keywordsAsText?: boolean;
}

type Check = CheckOptions & { found: Mismatch[] };

function check(type: Type, value: Value, path: string, checking: Check): void {
  const { found } = checking;
  switch (type.kind) {
    case "primitive":
      if (type.optional && value === null) return;
      if (type.name === "keyword" && checking.keywordsAsText && typeof value === "string") return;
      if (!FITS[type.name](value)) found.push({ path, message: `expected ${type.name}, got ${typeName(value)}` });
      return;
    case "list":
      if (!(value instanceof Vec)) found.push({ path, message: `expected list, got ${typeName(value)}` });
      else for (let i = 0; i < value.length; i++) check(type.of, value.at(i), `${path}[${i}]`, checking);
      return;
    case "record":
      if (!(value instanceof PMap)) found.push({ path, message: `expected map, got ${typeName(value)}` });
      else for (const field of type.fields) checkField(field, value, path, checking);
  }
}

function checkField(field: Field, map: PMap, path: string, checking: Check): void {
  const name = wireName(field.name);
  const place = joinPath(path, name);
  const value = fieldValue(field, map);
  if (value !== undefined) check(field.type, value, place, checking);
  else if (!isOptional(field.type)) checking.found.push({ path: place, message: "expected field, got nil" });
}

/** What a map holds for a field, whose name may be written with `-` or `_`; undefined when it has none. */
export function fieldValue(field: Field, map: PMap): Value | undefined {
  const name = wireName(field.name);
  // A field that is nil is there, so `??` would look too far.
  return [name, field.name, name.replaceAll("_", "-")].map((key) => lookup(map, key)).find((one) => one !== undefined);
}

export const isOptional = (type: Type): boolean => type.kind === "primitive" && type.optional;

const isInteger = (value: Value) => typeof value === "number" || typeof value === "bigint";

const FITS: Record<PrimitiveName, (value: Value) => boolean> = {
  string: (value) => typeof value === "string",
  int: isInteger,
  float: (value) => isInteger(value) || (value instanceof Float && Number.isFinite(value.n)),
  bool: (value) => typeof value === "boolean",
  keyword: (value) => value instanceof Keyword,
  map: (value) => value instanceof PMap,
  any: () => true,
};

/** The word for what a value is, as messages say it. */
export function typeName(value: Value): string {
  if (value === null) return "nil";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (isInteger(value)) return "int";
  // "expected float, got float" would help nobody.
  if (value instanceof Float && !Number.isFinite(value.n)) return formatFloat(value.n);
  const tag = (value as { tag: string }).tag;
  return { float: "float", keyword: "keyword", vector: "list", map: "map", set: "set" }[tag] ?? "function";
}

/** For people and callers: `return.items[0].id: expected int, got string`. */
export function renderMismatches(mismatches: readonly Mismatch[], root = "return"): string {
  return mismatches.map(({ path, message }) => `${joinPath(root, path)}: ${message}`).join("; ");
}

/** A place inside a place: `items` and `[0]`, `items[0]` and `id`. */
export function joinPath(root: string, path: string): string {
  if (root === "" || path === "") return root + path;
  return path.startsWith("[") ? `${root}${path}` : `${root}.${path}`;
}

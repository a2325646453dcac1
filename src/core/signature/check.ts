import { formatFloat } from "../lisp/text/float-text";
import { PMap, Vec } from "../lisp/values/collections";
import { LispError } from "../lisp/values/errors";
import { lookup } from "../lisp/values/lookup";
import { MAX_SENT_NODES, TraversalLimit } from "../lisp/values/traversal-limit";
import { Float, Keyword, type Value } from "../lisp/values/values";
import { type Field, type PrimitiveName, type Type, wireName } from "./parse";

/** One mismatch between a value and its type; `path` like `items[0].id`, "" for the value itself. */
export interface Mismatch {
  path: string;
  message: string;
}

/**
 * The maximum number of reported mismatches: a reader corrects the first ones, and a list can have a million wrong
 * elements.
 */
const MAX_MISMATCHES = 50;

/**
 * Every place where a value does not fit a type, up to fifty (lisp reference, section 15.1). The check is strict, but
 * allows fields that are not declared. A value too large to walk does not fit either.
 */
export function checkValue(type: Type, value: Value, options: CheckOptions = {}): Mismatch[] {
  const check = new Check(options);
  try {
    check.value(type, value, "");
  } catch (error) {
    if (!(error instanceof LispError)) throw error;
    check.found.push({ path: "", message: error.message });
  }
  return check.found;
}

export interface CheckOptions {
  /** JSON has no keywords: a text replaces one. */
  keywordsAsText?: boolean;
}

class Check {
  readonly found: Mismatch[] = [];
  private readonly budget = new TraversalLimit("check", undefined, MAX_SENT_NODES);

  constructor(private readonly options: CheckOptions) {}

  value(type: Type, value: Value, path: string): void {
    if (this.full) return;
    // Types nest no deeper than values may.
    this.budget.visit(0);
    switch (type.kind) {
      case "primitive":
        if (type.optional && value === null) return;
        if (type.name === "keyword" && this.options.keywordsAsText && typeof value === "string") return;
        if (!FITS[type.name](value)) this.mismatch(path, type.name, typeName(value));
        return;
      case "list":
        if (!(value instanceof Vec)) this.mismatch(path, "list", typeName(value));
        else for (let i = 0; i < value.length && !this.full; i++) this.value(type.of, value.at(i), `${path}[${i}]`);
        return;
      case "record":
        if (!(value instanceof PMap)) this.mismatch(path, "map", typeName(value));
        else for (const field of type.fields) this.field(field, value, path);
    }
  }

  private field(field: Field, map: PMap<Value>, path: string): void {
    const place = joinPath(path, wireName(field.name));
    const value = fieldValue(field, map);
    if (value !== undefined) this.value(field.type, value, place);
    else if (!isOptional(field.type)) this.mismatch(place, "field", "nil");
  }

  private get full(): boolean {
    return this.found.length >= MAX_MISMATCHES;
  }

  private mismatch(path: string, expected: string, got: string): void {
    if (!this.full) this.found.push({ path, message: `expected ${expected}, got ${got}` });
  }
}

/** The value of a field in a map, whose name may be written with `-` or `_`; undefined if there is none. */
export function fieldValue(field: Field, map: PMap<Value>): Value | undefined {
  const name = wireName(field.name);
  // A field that is nil is there, so `??` would look too far.
  return [name, field.name, name.replaceAll("_", "-")].map((key) => lookup(map, key)).find((one) => one !== undefined);
}

/** Whether a value of this type may be missing: `:string?`. */
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

/** The name of a value's type in messages. */
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

/** The path of a place inside another: `items` and `[0]` give `items[0]`. */
export function joinPath(root: string, path: string): string {
  if (root === "" || path === "") return root + path;
  return path.startsWith("[") ? `${root}${path}` : `${root}.${path}`;
}

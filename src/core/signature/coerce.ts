import { shortened } from "../base/whole-characters";
import { PMap, Vec } from "../lisp/values/collections";
import { LispError } from "../lisp/values/errors";
import { plainKey } from "../lisp/values/plain-json";
import { printBriefly } from "../lisp/values/print";
import { MAX_SENT_NODES, TraversalLimit } from "../lisp/values/traversal-limit";
import { Float, Keyword, type Value } from "../lisp/values/values";
import { fieldValue, isOptional, joinPath, typeName } from "./check";
import { type Field, type PrimitiveName, type Type, wireName } from "./parse";

/**
 * A value converted to its type, with a note for everything that was changed; or the first place that could not be
 * converted.
 */
export type Coerced = { ok: true; value: Value; warnings: string[] } | { ok: false; path: string; message: string };

/**
 * Lenient reading of inputs (lisp reference, section 15.3): texts of numbers become numbers, integers floats,
 * keywords texts and back; floats never become integers. Fields that are not declared are dropped, or kept.
 */
export function coerceValue(type: Type, value: Value, options: { keepUndeclared?: boolean } = {}): Coerced {
  const warnings: string[] = [];
  try {
    const reading = new Reading(warnings, options.keepUndeclared === true);
    return { ok: true, value: coerce(type, value, "", reading), warnings };
  } catch (error) {
    if (error instanceof LispError) return { ok: false, path: "", message: error.message };
    if (error instanceof CoercionError) return { ok: false, path: error.path, message: error.message };
    throw error;
  }
}

/** The parameters of a signature as one record. */
export function coerceParameters(parameters: Field[], value: Value): Coerced {
  return coerceValue({ kind: "record", fields: parameters }, value);
}

class CoercionError extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

const MAX_WARNINGS = 50;

/** One conversion of a value: values may be far larger than they look, because their parts can be shared. */
class Reading {
  readonly budget = new TraversalLimit("read", undefined, MAX_SENT_NODES);
  constructor(
    private readonly warnings: string[],
    readonly keepUndeclared: boolean,
  ) {}
  warn(text: string): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(shortened(text, WARNING_CHARS));
  }
}

const WARNING_CHARS = 200;

function coerce(type: Type, value: Value, path: string, reading: Reading): Value {
  reading.budget.visit(0);
  switch (type.kind) {
    case "primitive": {
      if (value === null && type.optional) return null;
      const coerced = PRIMITIVE[type.name](value, (warning) => reading.warn(warning));
      if (coerced === undefined) throw impossible(path, value, NOUN[type.name]);
      return coerced;
    }
    case "list":
      if (!(value instanceof Vec)) throw impossible(path, value, "list");
      return Vec.from(value.toArray().map((item, i) => coerce(type.of, item, `${path}[${i}]`, reading)));
    case "record":
      if (!(value instanceof PMap)) throw impossible(path, value, "map");
      return coerceRecord(type.fields, value, path, reading);
  }
}

function coerceRecord(fields: readonly Field[], map: PMap<Value>, path: string, reading: Reading): Value {
  let result: PMap<Value> = reading.keepUndeclared ? undeclared(fields, map) : PMap.empty;
  for (const field of fields) {
    const name = wireName(field.name);
    const found = fieldValue(field, map);
    if (found === undefined) {
      if (!isOptional(field.type)) throw new CoercionError(path, `missing required field "${name}"`);
    } else result = result.assoc(name, coerce(field.type, found, joinPath(path, name), reading));
  }
  return result;
}

function undeclared(fields: readonly Field[], map: PMap<Value>): PMap<Value> {
  const declared = new Set(fields.map(({ name }) => wireName(name)));
  return PMap.from(map.entries().filter(([key]) => !declared.has(wireName(plainKey(key)))));
}

const NOUN: Record<PrimitiveName, string> = {
  string: "string",
  int: "integer",
  float: "float",
  bool: "boolean",
  keyword: "keyword",
  map: "map",
  any: "any",
};

type Warn = (warning: string) => void;

/** undefined: impossible. */
const PRIMITIVE: Record<PrimitiveName, (value: Value, warn: Warn) => Value | undefined> = {
  any: (value) => value,
  map: (value) => (value instanceof PMap ? value : undefined),
  string: (value, warn) => {
    if (!(value instanceof Keyword)) return typeof value === "string" ? value : undefined;
    warn("coerced keyword to string");
    return value.name;
  },
  keyword: (value, warn) => {
    if (typeof value !== "string") return value instanceof Keyword ? value : undefined;
    warn(`coerced string ${JSON.stringify(value)} to keyword`);
    return Keyword.of(value);
  },
  int: (value, warn) => {
    if (typeof value !== "string") return isInteger(value) ? value : undefined;
    if (!/^[+-]?\d{1,1000}$/.test(value)) return undefined;
    warn(`coerced string ${JSON.stringify(value)} to integer`);
    const exact = BigInt(value.replace("+", ""));
    const small = Number(exact);
    return Number.isSafeInteger(small) ? small : exact;
  },
  float: (value, warn) => {
    if (value instanceof Float) return value;
    if (isInteger(value)) return new Float(Number(value));
    const number = typeof value === "string" ? Number.parseFloat(value) : Number.NaN;
    if (!Number.isFinite(number)) return undefined;
    warn(`coerced string ${JSON.stringify(value)} to float`);
    return new Float(number);
  },
  bool: (value, warn) => {
    if (typeof value === "boolean") return value;
    if (value !== "true" && value !== "false") return undefined;
    warn(`coerced string "${value}" to boolean`);
    return value === "true";
  },
};

const isInteger = (value: Value): value is number | bigint => typeof value === "number" || typeof value === "bigint";

function impossible(path: string, value: Value, noun: string): CoercionError {
  const what = value === null ? "nil" : `${typeName(value)} ${printBriefly(value)}`;
  return new CoercionError(path, `cannot coerce ${what} to ${noun}`);
}

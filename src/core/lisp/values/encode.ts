import {
  abs,
  fromEntries,
  INFINITY,
  isArray,
  isFiniteNumber,
  isNaNumber,
  isSafeInteger,
  isSame,
  isWhole,
  keysOf,
  MAX_SAFE_INTEGER,
  MIN_SAFE_INTEGER,
  NAN,
  toBigInt,
  toNumber,
  toText,
} from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { instantText } from "../text/float-text";
import { type Entry, PMap, PSet, Vec } from "./collections";
import { LispError } from "./errors";
import { compareTotal } from "./order";
import { printBriefly, printValue } from "./print";
import { ENTRY, MAP, SLOT, VECTOR } from "./sizes";
import { MAX_SENT_NODES, TraversalLimit } from "./traversal-limit";
import { Float, Instant, Keyword, LocalDate, type Value } from "./values";

/**
 * Values as JSON and back (engine reference, section 11). A keyword is `{"$kw": name}`, a set `{"$set": [...]}`, an
 * infinite or not-a-number float `{"$float": "inf" | "-inf" | "nan"}`, an integer beyond 2^53 `{"$int": digits}`, dates
 * their ISO text; a map whose keys are strings or keywords is a plain object, any other (or one whose keys would
 * collide or begin with `$`) is `{"$map": [[k, v], ...]}`.
 *
 * With `exact`, values that the readable form does not distinguish are tagged too (keyword keys, whole floats, dates), so that
 * `decodeValue(encodeValue(v, {exact: true}))` equals v.
 *
 * @throws type_error for functions, vars and patterns, which have no JSON form
 */
export function encodeValue(value: Value, options: { exact?: boolean } = {}): Json {
  return encode(
    value,
    options.exact === true ? "exact" : "readable",
    0,
    new TraversalLimit("encode", undefined, MAX_SENT_NODES),
  );
}

/** The readable form for showing only: functions, vars and patterns become `{"$text": printed}`. */
export function describeValue(value: Value, budget = new TraversalLimit("encode", undefined, MAX_SENT_NODES)): Json {
  return encode(value, "describe", 0, budget);
}

type Mode = "readable" | "exact" | "describe";

function encode(value: Value, mode: Mode, depth: number, budget: TraversalLimit): Json {
  budget.visit(depth);
  if (typeof value === "string") {
    budget.text(value.length);
    return value;
  }
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "bigint") return { $int: budget.digits(value) };
  const each = (item: Value) => encode(item, mode, depth + 1, budget);
  switch (value.tag) {
    case "float":
      return encodeFloat(value.n, mode);
    case "keyword":
      budget.text(value.name.length);
      return { $kw: value.name };
    case "vector":
      return value.toArray().map(each);
    case "set":
      return { $set: inOrder(value.values(), mode, (member) => member).map(each) };
    case "map": {
      const plain = plainObject(value, mode, each, budget);
      return plain ?? { $map: inOrder(value.entries(), mode, ([key]) => key).map(([k, v]) => [each(k), each(v)]) };
    }
    case "instant":
      return mode === "exact" ? { $instant: value.ms } : instantText(value.ms);
    case "date":
      return mode === "exact" ? { $date: value.iso } : value.iso;
    default:
      if (mode === "describe") return { $text: printedText(value, budget) };
      throw new LispError(
        "eval_error",
        "type_error",
        `${printBriefly(value)} is a function or the like and cannot be stored; store data`,
      );
  }
}

/** Values that are only shown are sorted, so that equal sets and maps look alike; otherwise insertion order is kept. */
function inOrder<T>(items: readonly T[], mode: Mode, keyOf: (item: T) => Value): readonly T[] {
  return mode === "describe" ? [...items].sort((a, b) => compareTotal(keyOf(a), keyOf(b))) : items;
}

function encodeFloat(n: number, mode: Mode): Json {
  if (!isFiniteNumber(n)) return { $float: isNaNumber(n) ? "nan" : n > 0 ? "inf" : "-inf" };
  return mode === "exact" && isWhole(n) ? { $float: isSame(n, -0) ? "-0" : toText(n) } : n;
}

function plainObject(
  map: PMap<Value>,
  mode: Mode,
  each: (value: Value) => Json,
  budget: TraversalLimit,
): Json | undefined {
  const names = new Set<string>();
  for (const [key] of map.entries()) {
    const name = textKey(key, mode);
    if (name === undefined || name.startsWith("$") || names.has(name)) return undefined;
    names.add(name);
    budget.text(name.length);
  }
  return objectOf(map.entries().map(([key, value]) => [textKey(key, mode)!, each(value)]));
}

function textKey(key: Value, mode: Mode): string | undefined {
  if (typeof key === "string") return key;
  return mode !== "exact" && key instanceof Keyword ? key.name : undefined;
}

/** Billed: there can be many functions, with many parameters. */
export function printedText(value: Value, budget: TraversalLimit): string {
  const text = printValue(value);
  budget.text(text.length);
  return text;
}

/** An object with exactly these keys: `__proto__` too becomes an ordinary key. */
export function objectOf(entries: [string, Json][]): Json {
  return fromEntries(entries) as Json;
}

/** The value that `encodeValue` wrote. Unknown tags stay plain maps. `allocate` gets the bytes of its collections. */
export function decodeValue(json: Json, allocate?: (bytes: number) => void): Value {
  const budget = new TraversalLimit("decode");
  const value = decode(json, 0, budget);
  allocate?.(budget.built);
  return value;
}

function decode(json: Json, depth: number, budget: TraversalLimit): Value {
  budget.visit(depth);
  const each = (item: Json) => decode(item, depth + 1, budget);
  if (json === null || typeof json !== "object") return scalar(json);
  if (isArray(json)) return vectorOf(json, each, budget);
  const keys = keysOf(json);
  if (keys.length === 1 && keys[0]!.startsWith("$")) {
    const tagged = decodeTag(keys[0]!, json[keys[0]!]!, each, budget);
    if (tagged !== undefined) return tagged;
  }
  budget.built += MAP + ENTRY * keys.length;
  return PMap.fromDistinct(keys.map((key): Entry<Value> => [key, each(json[key]!)]));
}

function decodeTag(tag: string, content: Json, each: (json: Json) => Value, budget: TraversalLimit): Value | undefined {
  if (isArray(content)) {
    budget.built += MAP + ENTRY * content.length;
    if (tag === "$set") return PSet.from(content.map(each));
    if (tag === "$map" && content.every((pair) => isArray(pair) && pair.length === 2))
      return PMap.from((content as Json[][]).map((pair): Entry<Value> => [each(pair[0]!), each(pair[1]!)]));
  }
  if (tag === "$instant" && isSafeInteger(content) && abs(content as number) <= LAST_INSTANT)
    return new Instant(content as number);
  if (typeof content !== "string") return undefined;
  switch (tag) {
    case "$kw":
      return Keyword.of(content);
    case "$int":
      return /^-?\d{1,10000}$/.test(content) ? integer(toBigInt(content)) : undefined;
    case "$float":
      return new Float(FLOATS.get(content) ?? toNumber(content));
    case "$date":
      return /^\d{4}-\d\d-\d\d$/.test(content) ? new LocalDate(content) : undefined;
    default:
      return undefined;
  }
}

/** The last date of the host, in ms since 1970. */
export const LAST_INSTANT = 8.64e15;

const FLOATS: ReadonlyMap<string, number> = new Map([
  ["inf", INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["nan", NAN],
]);

/** Plain data as a value: objects become maps with string keys, no tag is interpreted (context, tool results). */
export function fromJson(json: Json, allocate?: (bytes: number) => void): Value {
  const budget = new TraversalLimit("read");
  const value = plain(json, 0, budget);
  allocate?.(budget.built);
  return value;
}

function plain(json: Json, depth: number, budget: TraversalLimit): Value {
  budget.visit(depth);
  if (json === null || typeof json !== "object") return scalar(json);
  const each = (item: Json) => plain(item, depth + 1, budget);
  if (isArray(json)) return vectorOf(json, each, budget);
  const keys = keysOf(json);
  budget.built += MAP + ENTRY * keys.length;
  return PMap.fromDistinct(keys.map((key): Entry<Value> => [key, each(json[key]!)]));
}

function vectorOf(items: readonly Json[], each: (item: Json) => Value, budget: TraversalLimit): Vec<Value> {
  budget.built += VECTOR + SLOT * items.length;
  return Vec.from(items.map(each));
}

function scalar(json: null | boolean | number | string): Value {
  if (typeof json !== "number" || isSafeInteger(json)) return isSame(json, -0) ? 0 : json;
  // A whole number that JSON wrote without an exponent was an integer there, for example an identifier.
  return isWhole(json) && abs(json) < 1e21 ? toBigInt(json) : new Float(json);
}

/** Normalises: inside the safe range a host number, outside a bigint. */
export function integer(n: bigint): number | bigint {
  return n >= toBigInt(MIN_SAFE_INTEGER) && n <= toBigInt(MAX_SAFE_INTEGER) ? toNumber(n) : n;
}

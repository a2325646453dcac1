import { utf8Bytes } from "../../base/bytes";
import { max } from "../../base/intrinsics";
import type { Json, JsonObject } from "../../base/json";
import type { Code } from "../compile/code";
import { formText } from "../read/form-text";
import { encodeValue } from "../values/encode";
import { LispError } from "../values/errors";
import { isTooLarge, MAX_SENT_NODES, TraversalLimit } from "../values/traversal-limit";
import type { Value } from "../values/values";
import { MemoryReader } from "./memory-reader";

/**
 * Definitions as data, without loss: they must survive continue-as-new. A function is stored as its source text and the
 * values that it captured (lisp reference, section 9.6).
 */
export function encodeMemory(
  memory: ReadonlyMap<string, Value>,
  budget = new TraversalLimit("keep", undefined, MAX_SENT_NODES),
): JsonObject {
  return Object.fromEntries([...memory].map(([name, value]) => [name, encode(value, 0, budget)]));
}

/**
 * Reads definitions that `encodeMemory` wrote.
 *
 * @throws type_error for any other JSON
 */
export function decodeMemory(json: JsonObject): Map<string, Value> {
  const reader = new MemoryReader();
  return new Map(Object.entries(json).map(([name, value]) => [name, reader.value(value)]));
}

/** Definitions up to this size are counted in full even past the limit, so that messages can name their size. */
const COUNTED_BYTES = 1_000_000;

/** Counts the bytes of the definitions in their JSON form. */
export function memoryBytes(memory: ReadonlyMap<string, Value>): number;
/** Undefined when the size is far above `limit`. */
export function memoryBytes(memory: ReadonlyMap<string, Value>, limit: number | null): number | undefined;
/** Counts the bytes of the definitions. */
export function memoryBytes(memory: ReadonlyMap<string, Value>, limit: number | null = null): number | undefined {
  if (limit === null) return utf8Bytes(JSON.stringify(encodeMemory(memory)));
  try {
    return utf8Bytes(JSON.stringify(encodeMemory(memory, TraversalLimit.within(max(limit, COUNTED_BYTES), "keep"))));
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

function encode(value: Value, depth: number, budget: TraversalLimit): Json {
  budget.visit(depth);
  if (typeof value === "string") budget.text(value.length);
  if (typeof value === "bigint") return { $int: budget.digits(value) };
  const written = (text: string): string => {
    budget.text(text.length);
    return text;
  };
  if (value === null || typeof value !== "object") return encodeValue(value, { exact: true });
  const each = (item: Value) => encode(item, depth + 1, budget);
  switch (value.tag) {
    case "vector":
      return value.toArray().map(each);
    case "set":
      return { $set: value.values().map(each) };
    case "map": {
      const entries = value.entries();
      const plain = entries.every(([key]) => typeof key === "string" && !key.startsWith("$"));
      if (plain) {
        for (const [key] of entries) written(key as string);
        return Object.fromEntries(entries.map(([key, item]) => [key as string, each(item)]));
      }
      return { $map: entries.map(([key, item]) => [each(key), each(item)]) };
    }
    case "closure": {
      const code = value.code as Code;
      if (code.form === null)
        throw new LispError("eval_error", "type_error", "a function without source cannot be kept");
      // Many closures of one function are one text each.
      code.formText ??= formText(code.form);
      for (const { name } of code.captures) written(name);
      return {
        $fn: written(code.formText),
        captured: Object.fromEntries(code.captures.map(({ name }, i) => [name, each(value.captured[i] as Value)])),
        ...(code.name === undefined ? {} : { name: written(code.name) }),
        ...(value.doc === null ? {} : { doc: written(value.doc) }),
      };
    }
    case "native":
      return {
        $native: value.origin.form,
        literals: (value.origin.literals ?? []).map(each),
        captured: value.origin.captured.map(each),
      };
    case "builtin":
      return { $builtin: value.name };
    case "keyword":
      return { $kw: written(value.name) };
    case "regex":
      return { $regex: written(value.source) };
    case "var":
      return { $var: written(value.name) };
    default:
      return encodeValue(value, { exact: true });
  }
}

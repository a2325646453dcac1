import { utf8Bytes } from "../bytes";
import type { Json, JsonObject } from "../json";
import type { Builtin } from "./builtin";
import { makeFnil } from "./builtins/functions";
import { Closure } from "./closure";
import { PMap, PSet, Vec } from "./collections";
import { compileClosure } from "./compile/compile";
import { Registry } from "./compile/registry";
import { decodeValue, encodeValue } from "./encode";
import { LispError } from "./errors";
import { formText } from "./form-text";
import { INFINITY, max } from "./host";
import { makeNative } from "./natives";
import { compilePatternText } from "./regex/program";
import { Regex, type Value, VarRef } from "./values";
import { isTooLarge, MAX_SENT_NODES, WalkBudget } from "./walk-budget";

/**
 * Definitions as data, exactly: they must survive continue-as-new. A function is written as its source text and the
 * values it captured (language reference, section 9.6).
 */
export function encodeMemory(
  memory: ReadonlyMap<string, Value>,
  budget = new WalkBudget("keep", undefined, MAX_SENT_NODES),
): JsonObject {
  return Object.fromEntries([...memory].map(([name, value]) => [name, encode(value, 0, budget)]));
}

export function decodeMemory(json: JsonObject): Map<string, Value> {
  // Functions are compiled anew; names they use are looked up when they run.
  const registry = new Registry(new Map(), new Map(), INFINITY);
  return new Map(Object.entries(json).map(([name, value]) => [name, decode(value, registry)]));
}

/** Definitions are counted to their end up to here, to tell their size, whatever the limit. */
const COUNTED_BYTES = 1_000_000;

/** Size of the definitions, in bytes of their JSON form; undefined when that is far above a limit. */
export function memoryBytes(memory: ReadonlyMap<string, Value>): number;
export function memoryBytes(memory: ReadonlyMap<string, Value>, limit: number | null): number | undefined;
export function memoryBytes(memory: ReadonlyMap<string, Value>, limit: number | null = null): number | undefined {
  if (limit === null) return utf8Bytes(JSON.stringify(encodeMemory(memory)));
  try {
    return utf8Bytes(JSON.stringify(encodeMemory(memory, WalkBudget.within(max(limit, COUNTED_BYTES), "keep"))));
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

function encode(value: Value, depth: number, budget: WalkBudget): Json {
  budget.visit(depth);
  if (typeof value === "string") budget.text(value.length);
  if (typeof value === "bigint") return { $int: budget.digits(value) };
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
        for (const [key] of entries) budget.text((key as string).length);
        return Object.fromEntries(entries.map(([key, item]) => [key as string, each(item)]));
      }
      return { $map: entries.map(([key, item]) => [each(key), each(item)]) };
    }
    case "closure": {
      const { code } = value;
      if (code.form === null)
        throw new LispError("eval_error", "type_error", "a function without source cannot be kept");
      // Many closures of one function are one text each.
      code.formText ??= formText(code.form);
      budget.text(code.formText.length + (code.name?.length ?? 0) + (value.doc?.length ?? 0));
      for (const { name } of code.captures) budget.text(name.length);
      return {
        $fn: code.formText,
        captured: Object.fromEntries(code.captures.map(({ name }, i) => [name, each(value.captured[i] as Value)])),
        ...(code.name === undefined ? {} : { name: code.name }),
        ...(value.doc === null ? {} : { doc: value.doc }),
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
    case "regex":
      budget.text(value.source.length);
      return { $regex: value.source };
    case "var":
      budget.text(value.name.length);
      return { $var: value.name };
    case "keyword":
      budget.text(value.name.length);
      return { $kw: value.name };
    default:
      return encodeValue(value, { exact: true });
  }
}

function decode(json: Json, registry: Registry): Value {
  const each = (item: Json) => decode(item, registry);
  if (json === null || typeof json !== "object") return decodeValue(json);
  if (Array.isArray(json)) return Vec.from(json.map(each));
  if (typeof json.$fn === "string") return decodeFunction(json, registry);
  if (typeof json.$native === "string") {
    const captured = (json.captured as Json[]).map(each);
    if (json.$native === "fnil") return makeFnil(captured[0] as Value, captured[1] as Value);
    return makeNative(json.$native, (json.literals as Json[]).map(each), captured);
  }
  if (typeof json.$builtin === "string") return builtinNamed(json.$builtin, registry);
  if (typeof json.$regex === "string") return keptPattern(json.$regex);
  if (typeof json.$var === "string") return new VarRef(json.$var);
  if (Array.isArray(json.$set)) return PSet.from(json.$set.map(each));
  if (Array.isArray(json.$map))
    return PMap.from((json.$map as [Json, Json][]).map(([key, value]) => [each(key), each(value)]));
  const keys = Object.keys(json);
  if (keys.length === 1 && (keys[0] as string).startsWith("$")) return decodeValue(json);
  return PMap.from(keys.map((key) => [key, each(json[key] as Json)]));
}

/** Compiled when it is first used: a memory may hold many. It was compiled before, so it can be. */
const keptPattern = (source: string) => new Regex(source, () => compilePatternText(source));

function decodeFunction(json: JsonObject, registry: Registry): Closure {
  const captured = json.captured as JsonObject;
  const names = Object.keys(captured);
  const values = names.map((name) => decode(captured[name] as Json, registry));
  const code = compileClosure(json.$fn as string, names, registry);
  if (typeof json.name === "string") code.name = json.name;
  return new Closure(code, values, typeof json.doc === "string" ? json.doc : null);
}

function builtinNamed(name: string, registry: Registry): Builtin {
  const value = registry.value(name);
  if (typeof value === "object" && value !== null && value.tag === "builtin") return value;
  throw new LispError("eval_error", "type_error", `there is no builtin ${name} any more`);
}

import { INFINITY } from "../../base/intrinsics";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { makeFnil } from "../builtins/functions";
import { patternProgram } from "../builtins/regex";
import type { Code } from "../compile/code";
import { compileClosure } from "../compile/compile";
import { Registry } from "../compile/registry";
import { PMap, PSet, Vec } from "../values/collections";
import { decodeValue } from "../values/encode";
import { LispError } from "../values/errors";
import { isNativeForm, makeNative } from "../values/natives";
import { TraversalLimit } from "../values/traversal-limit";
import { Closure, Regex, type Value, VarRef } from "../values/values";

/** Reads stored definitions. Functions are compiled again; the names they use are looked up when they run. */
export class MemoryReader {
  private readonly registry = new Registry(new Map(), new Map(), INFINITY);
  // Cached: a collection may contain the same function many times, and compiling is far slower than reading.
  private readonly codes = new Map<string, Code>();
  private readonly budget = new TraversalLimit("read");

  value(json: Json, depth = 0): Value {
    this.budget.visit(depth);
    const each = (item: Json) => this.value(item, depth + 1);
    if (json === null || typeof json !== "object") return decodeValue(json);
    if (Array.isArray(json)) return Vec.from(json.map(each));
    if (typeof json.$fn === "string") return this.closure(json.$fn, json, each);
    if (typeof json.$native === "string")
      return native(json.$native, list(json.literals ?? []), list(json.captured), each);
    if (typeof json.$builtin === "string") return this.builtin(json.$builtin);
    if (typeof json.$regex === "string") return keptPattern(json.$regex);
    if (typeof json.$var === "string") return new VarRef(json.$var);
    if (Array.isArray(json.$set)) return PSet.from(json.$set.map(each));
    if (Array.isArray(json.$map)) return PMap.from(json.$map.map((pair) => entry(list(pair).map(each))));
    const keys = Object.keys(json);
    if (keys.length === 1 && (keys[0] as string).startsWith("$")) return decodeValue(json);
    return PMap.from(keys.map((key) => [key, each(json[key] as Json)]));
  }

  private closure(source: string, json: JsonObject, each: (json: Json) => Value): Closure {
    const { name, doc, captured = {} } = json;
    if (!isObject(captured)) throw unreadable("a function without its values");
    const names = Object.keys(captured);
    const code = this.code(source, names, typeof name === "string" ? name : undefined);
    const values = names.map((one) => each(captured[one] as Json));
    return new Closure(code, values, typeof doc === "string" ? doc : null);
  }

  private code(source: string, names: string[], name: string | undefined): Code {
    const key = JSON.stringify([source, names, name]);
    const known = this.codes.get(key);
    if (known !== undefined) return known;
    const code = compileClosure(source, names, this.registry);
    if (name !== undefined) code.name = name;
    this.codes.set(key, code);
    return code;
  }

  private builtin(name: string): Value {
    const value = this.registry.value(name);
    if (typeof value === "object" && value !== null && value.tag === "builtin") return value;
    throw unreadable(`there is no builtin ${name} any more`);
  }
}

/** A pattern that is compiled on first use, because a memory may contain many. It was compiled before, so it is valid. */
const keptPattern = (source: string) => new Regex(source, () => patternProgram(source));

function native(form: string, literals: Json[], captured: Json[], each: (json: Json) => Value): Value {
  const [parts, values] = [literals.map(each), captured.map(each)];
  const [fn, fallback] = values;
  if (form === "fnil" && fn !== undefined && fallback !== undefined) return makeFnil(fn, fallback);
  if (isNativeForm(form, parts, values)) return makeNative(form, parts, values);
  throw unreadable(`a function made by ${form}`);
}

function list(json: Json | undefined): Json[] {
  if (Array.isArray(json)) return json;
  throw unreadable("a list is missing");
}

function entry(pair: Value[]): [Value, Value] {
  if (pair.length !== 2) throw unreadable("an entry of a map is no pair");
  return [pair[0] as Value, pair[1] as Value];
}

const unreadable = (what: string): LispError =>
  new LispError("eval_error", "type_error", `the definitions cannot be read: ${what}`);

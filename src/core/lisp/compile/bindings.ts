import { HostMap } from "../../base/intrinsics";
import { type Form, isPlainName, isSymbol, type SymbolForm } from "../read/form";
import type { Place } from "../values/errors";
import { Keyword, type Value } from "../values/values";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import type { Emit } from "./emit";

/**
 * Patterns (lisp reference, section 7.7). The value to take apart is on the stack; compiling a pattern binds its
 * names to slots and removes the value.
 */
export function compileDestructuring(emit: Emit, pattern: Form): void {
  emit.fn.limit.spend(pattern.at);
  if (pattern.kind === "symbol") {
    const slot = emit.fn.newSlot();
    emit.fn.emit(pattern.at, Op.SET_LOCAL, slot);
    bindName(emit, pattern, slot);
  } else if (pattern.kind === "vector") positional(emit, pattern.items, pattern.at);
  else if (pattern.kind === "map") associative(emit, pattern.items, pattern.at);
  else
    throw analysisError(
      "unsupported_pattern",
      "a pattern is a name, a vector of patterns or a map of patterns",
      pattern.at,
    );
}

/** Binds a name to a slot. @throws for a name that always means something else */
export function bindName(emit: Emit, { name, at }: SymbolForm, slot: number): void {
  if (name === "&") throw analysisError("invalid_form", "& must be followed by exactly one name", at);
  if (!isPlainName(name)) {
    const code = name.startsWith("%") ? "invalid_placeholder" : "unsupported_pattern";
    throw analysisError(code, `${name} cannot be the name of a local: it has a special meaning`, at);
  }
  emit.fn.bind(name, slot);
}

function positional(emit: Emit, items: readonly Form[], at: Place): void {
  const { fixed, rest } = splitRest(items, at);
  for (const item of items)
    if (item.kind === "literal")
      throw analysisError(
        "unsupported_pattern",
        "a vector pattern contains names and patterns; :as is not supported in it",
        item.at,
      );
  emit.fn.emit(at, Op.CHECK_VECTOR);
  fixed.forEach((item, i) => {
    emit.fn.emit(item.at, Op.DUP);
    emit.fn.emit(item.at, Op.NTH, i);
    compileDestructuring(emit, item);
  });
  if (rest) {
    emit.fn.emit(rest.at, Op.DUP);
    emit.fn.emit(rest.at, Op.REST, fixed.length);
    compileDestructuring(emit, rest);
  }
  emit.fn.emit(at, Op.POP);
}

/** Splits `[a b & more]`. */
export function splitRest(items: readonly Form[], at: Place): { fixed: Form[]; rest: Form | undefined } {
  const marker = items.findIndex((item) => isSymbol(item, "&"));
  if (marker < 0) return { fixed: [...items], rest: undefined };
  if (items.length !== marker + 2)
    throw analysisError("invalid_form", "& must be followed by exactly one pattern, at the end", at);
  return { fixed: items.slice(0, marker), rest: items[marker + 1] };
}

function associative(emit: Emit, items: readonly Form[], at: Place): void {
  const defaults = new HostMap<string, Form>();
  const keys: { name: string; at: Place }[] = [];
  const renames: { pattern: Form; key: Value; at: Place }[] = [];
  let whole: Form | undefined;
  let options = 0;
  for (let i = 0; i < items.length; i += 2) {
    const left = items[i] as Form;
    const right = items[i + 1] as Form;
    const option = left.kind === "literal" && left.value instanceof Keyword ? left.value.name : undefined;
    if (option === "keys") {
      options += 1;
      for (const name of keyNames(right)) keys.push(name);
    } else if (option === "or") {
      options += 1;
      readDefaults(right, defaults);
    } else if (option === "as") {
      if (right.kind !== "symbol") throw analysisError("invalid_form", ":as takes a name", right.at);
      whole = right;
    } else if (option !== undefined)
      throw analysisError(
        "unsupported_pattern",
        `:${option} is not supported in a map pattern; use :keys, :or, :as or {name :key}`,
        left.at,
      );
    else renames.push({ pattern: left, key: keyOf(right), at: left.at });
  }
  if (whole && options + renames.length === 0)
    throw analysisError("unsupported_pattern", ":as alone binds nothing else: use the name itself", at);
  emit.fn.emit(at, Op.CHECK_MAP);
  const all = [
    ...keys.map(({ name, at: place }) => ({
      pattern: { kind: "symbol", name, at: place } as Form,
      key: Keyword.of(name) as Value,
      at: place,
    })),
    ...renames,
  ];
  for (const { pattern, key, at: place } of all) {
    emit.fn.emit(place, Op.DUP);
    lookUp(emit, key, pattern.kind === "symbol" ? defaults.get(pattern.name) : undefined, place);
    compileDestructuring(emit, pattern);
  }
  if (whole) {
    emit.fn.emit(at, Op.DUP);
    compileDestructuring(emit, whole);
  }
  emit.fn.emit(at, Op.POP);
}

/**
 * Replaces the map on the stack by its value for `key`, or by the default, which is evaluated only when it is needed.
 */
function lookUp(emit: Emit, key: Value, fallback: Form | undefined, at: Place): void {
  const constant = emit.fn.constant(key);
  if (fallback === undefined) emit.fn.emit(at, Op.LOOKUP, constant);
  else if (fallback.kind === "literal") emit.fn.emit(at, Op.LOOKUP_OR, constant, emit.fn.constant(fallback.value));
  else {
    const toBound = emit.fn.emit(at, Op.LOOKUP_OR_ELSE, constant, 0) + 2;
    emit.form(fallback);
    emit.fn.patch(toBound);
  }
}

function keyNames(form: Form): { name: string; at: Place }[] {
  if (form.kind !== "vector")
    throw analysisError("invalid_form", ":keys takes a vector of names, as in {:keys [a b]}", form.at);
  return form.items.map((item) => {
    if (item.kind === "symbol" && !item.name.includes("/")) return { name: item.name, at: item.at };
    if (item.kind === "literal" && item.value instanceof Keyword) return { name: item.value.name, at: item.at };
    throw analysisError("invalid_form", ":keys takes names, as in {:keys [a b]}", item.at);
  });
}

function readDefaults(form: Form, into: Map<string, Form>): void {
  if (form.kind !== "map") throw analysisError("invalid_form", ":or takes a map of defaults, as in :or {a 1}", form.at);
  for (let i = 0; i < form.items.length; i += 2) {
    const name = form.items[i] as Form;
    const value = form.items[i + 1] as Form;
    if (name.kind !== "symbol") throw analysisError("invalid_form", ":or takes names on the left", name.at);
    into.set(name.name, value);
  }
}

function keyOf(form: Form): Value {
  if (form.kind === "literal" && (form.value instanceof Keyword || typeof form.value === "string")) return form.value;
  if (form.kind === "symbol") return Keyword.of(form.name);
  throw analysisError("unsupported_pattern", "a map pattern takes {name :key} pairs", form.at);
}

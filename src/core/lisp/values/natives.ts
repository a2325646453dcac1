import { NAN } from "../../base/intrinsics";
import { findText } from "../text/text-search";
import { PSet, Vec } from "./collections";
import type { BuiltinContext } from "./context";
import { equalValues } from "./equality";
import { LispError } from "./errors";
import { lookup } from "./lookup";
import { compareStrict } from "./order";
import type { Native } from "./values";
import { Keyword, type Value } from "./values";

/**
 * Functions that forms build at run time: where, all-of, any-of, none-of, juxt (lisp reference, sections 7.8 and 7.9).
 */
type Body = Native["call"];

/**
 * The function that a form such as `where` builds.
 *
 * @param literals the literal parts of the form (a path, an operator)
 * @param values the evaluated parts, which the function captures
 */
export function makeNative(form: string, literals: Value[], values: Value[]): Native {
  const body = Object.hasOwn(BODIES, form) ? BODIES[form]?.(literals, values) : undefined;
  if (!body) throw new Error(`no such form: ${form}`);
  return {
    tag: "native",
    name: form,
    arity: { min: 1, max: 1 },
    call: body,
    origin: { form, literals, captured: values },
  };
}

/** Whether a form of this name builds a function from such parts. */
export function isNativeForm(form: string, literals: readonly Value[], values: readonly Value[]): boolean {
  if (!Object.hasOwn(BODIES, form)) return false;
  return form !== "where" || (literals[0] instanceof Vec && (literals.length === 1 || values.length === 1));
}

const truthy = (value: Value) => value !== null && value !== false;

const combined =
  (stopAt: boolean, stopped: boolean) =>
  (_: Value[], parts: Value[]): Body =>
    function* ([x]) {
      for (const fn of parts) if (truthy(yield { fn, args: [x as Value] }) === stopAt) return stopped;
      return !stopped;
    };

const BODIES: Record<string, (literals: Value[], values: Value[]) => Body> = {
  where: ([path, op], [value]) =>
    // biome-ignore lint/correctness/useYield: it calls no function, and has the shape of those that do
    function* ([row], ctx) {
      const field = fieldOf(row as Value, path as Vec<Value>, ctx);
      return op === undefined ? truthy(field) : test(op as string, field, value as Value, ctx);
    },
  "all-of": combined(false, false),
  "any-of": combined(true, true),
  "none-of": combined(true, false),
  juxt: (_, parts) =>
    function* ([x]) {
      const results: Value[] = [];
      for (const fn of parts) results.push(yield { fn, args: [x as Value] });
      return Vec.from(results);
    },
};

function fieldOf(row: Value, path: Vec<Value>, ctx: BuiltinContext): Value {
  let at: Value = row;
  ctx.charge(path.length);
  for (const key of path) at = lookup(at, key) ?? null;
  return at;
}

/** A keyword counts as the string of its name, at top level only. */
const plain = (value: Value): Value => (value instanceof Keyword ? value.name : value);

function test(op: string, field: Value, value: Value, ctx: BuiltinContext): boolean {
  switch (op) {
    case "=":
      return same(field, value);
    case "not=":
      return !same(field, value);
    case "in":
      return field !== null && membersOf(value, ctx).some((member) => equalValues(plain(member), plain(field)));
    case "includes":
      if (typeof field === "string" && typeof plain(value) === "string") {
        ctx.charge(1 + (field.length >> 5));
        return findText(field, plain(value) as string) >= 0;
      }
      return membersOf(field, ctx).some((member) => equalValues(plain(member), plain(value)));
    default: {
      const order = comparison(op, plain(field), plain(value));
      return op === ">" ? order > 0 : op === "<" ? order < 0 : op === ">=" ? order >= 0 : order <= 0;
    }
  }
}

/** NaN when the two cannot be compared, so that no order is true: a row of another type does not match. */
function comparison(op: string, field: Value, value: Value): number {
  if (field === null || value === null) return NAN;
  try {
    return compareStrict(op, field, value);
  } catch (error) {
    if (error instanceof LispError) return NAN;
    throw error;
  }
}

function same(field: Value, value: Value): boolean {
  if (field === null || value === null) return field === value;
  return equalValues(plain(field), plain(value));
}

function membersOf(value: Value, ctx: BuiltinContext): Value[] {
  const members = value instanceof Vec ? value.toArray() : value instanceof PSet ? value.values() : [];
  ctx.charge(members.length >> 3);
  return members;
}

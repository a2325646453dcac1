import { HostMap, HostSet } from "../../base/intrinsics";
import { FLAT } from "../values/collections";
import type { PlainBuiltin, Value } from "../values/values";

/**
 * Builtins that leave nothing but their answer, so that a call can be made again as if it had not been made: the
 * meter gets their charge back. A collection may keep facts about itself that it has found (the order of its keys, the space
 * at its end), and later work is charged by that. So most builtins are not among these.
 */

/** They look at numbers, texts and the like. */
const OF_SCALARS = [
  ...["+", "-", "*", "/", "mod", "rem", "quot", "inc", "dec", "abs", "max", "min", "floor", "ceil", "round", "trunc"],
  ...["int", "double", "float", "sqrt", "pow", "=", "not=", "<", ">", "<=", ">=", "compare", "zero?", "pos?", "neg?"],
  ...["even?", "odd?", "str", "subs", "starts-with?", "ends-with?", "includes?", "name", "keyword"],
];

/** They never look into what they are given. */
const OF_ANYTHING = [
  ...["nil?", "some?", "boolean?", "number?", "string?", "keyword?", "vector?", "sequential?", "seq?", "map?", "set?"],
  ...["coll?", "regex?", "not", "boolean", "type", "identity"],
];

/** They read a vector, or a map that is small. */
const OF_SMALL = ["get", "first", "second", "last", "nth", "count", "empty?"];

type Guard = (value: Value) => boolean;

const isScalar: Guard = (value) => typeof value !== "object" || value === null || SCALAR_TAGS.has(value.tag);
const SCALAR_TAGS = new HostSet<string>(["float", "keyword", "instant", "date"]);

/** Whether looking into a value changes nothing in it: a larger map makes its tree. */
export const isSmall: Guard = (value) =>
  typeof value !== "object" || value === null || !(value.tag === "map" || value.tag === "set") || value.size <= FLAT;

const GUARDS = new HostMap<string, Guard>([
  ...OF_SCALARS.map((name): [string, Guard] => [name, isScalar]),
  ...OF_ANYTHING.map((name): [string, Guard] => [name, () => true]),
  ...OF_SMALL.map((name): [string, Guard] => [name, isSmall]),
]);

/** Whether a value is such a builtin, and takes so many arguments. */
export function isPure(value: unknown, count: number): value is PlainBuiltin {
  const builtin = value as Value | undefined;
  if (typeof builtin !== "object" || builtin === null || builtin.tag !== "builtin") return false;
  const { kind, name, arity } = builtin;
  return kind === "plain" && GUARDS.has(name) && count >= arity.min && count <= arity.max;
}

/** Whether a builtin of `isPure` leaves nothing but its answer with these arguments. */
export function leavesNothing(name: string, args: readonly Value[]): boolean {
  const guard = GUARDS.get(name);
  return guard?.(args[0] as Value) !== false && args.every(guard as Guard);
}

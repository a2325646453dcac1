import type { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { LispError } from "../values/errors";
import { lookup } from "../values/lookup";
import { printBriefly } from "../values/print";
import type { CallRequest, Value } from "../values/values";
import { arityError, invalidArgument } from "./builtin-errors";

/** Calls a function that needs no evaluator. */
export type Direct = (args: Value[]) => Value;

/** Returns whether a condition accepts a value: all but nil and false. */
export const isTruthy = (value: Value): boolean => value !== null && value !== false;

/** Whether a value may stand where a function is expected: functions, keywords, maps, sets. */
export function isCallable(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  switch (value.tag) {
    case "closure":
    case "builtin":
    case "native":
    case "keyword":
    case "map":
    case "set":
      return true;
    default:
      return false;
  }
}

/**
 * How to call `fn` without the evaluator. Null when the evaluator must be asked (`yield { fn, args }`): for closures,
 * natives and higher-order builtins. This makes `(reduce + xs)` as fast as a loop of the host.
 *
 * @throws type_error when `fn` cannot be called at all
 */
export function callee(name: string, fn: Value, ctx: BuiltinContext): Direct | null {
  if (!isCallable(fn)) throw notCallable(name, fn);
  const callable = fn as Extract<Value, { tag: string }>;
  switch (callable.tag) {
    case "builtin": {
      if (callable.kind !== "plain") return null;
      const { arity } = callable;
      return (args) => {
        if (args.length < arity.min || args.length > arity.max) throw arityError(callable.name, arity, args.length);
        ctx.charge(1);
        return callable.call(args, ctx);
      };
    }
    case "keyword":
      return (args) => {
        if (args.length < 1 || args.length > 2)
          throw new LispError(
            "eval_error",
            "invalid_keyword_call",
            `:${callable.name} takes a map and an optional default, got ${args.length} argument(s)`,
          );
        ctx.charge(1);
        return fromMap(args[0]!, callable, args[1]);
      };
    case "map":
      return (args) => {
        if (args.length < 1 || args.length > 2)
          throw new LispError(
            "eval_error",
            "invalid_map_call",
            `a map takes a key and an optional default, got ${args.length} argument(s)`,
          );
        ctx.charge(1);
        return fromMap(callable, args[0]!, args[1]);
      };
    case "set":
      return (args) => {
        if (args.length !== 1) throw arityError("a set", { min: 1, max: 1 }, args.length);
        ctx.charge(1);
        return callable.has(args[0]!) ? args[0]! : null;
      };
    default:
      return null;
  }
}

/**
 * Asks for the answer to each element, and writes it to the same place of `answers`: directly where `fn` only computes,
 * else by the evaluator.
 */
export function* answersTo(
  fn: Value,
  items: Vec<Value>,
  answers: Value[],
  ctx: BuiltinContext,
): Generator<CallRequest, void, Value> {
  const quick = ctx.quick(fn, items.length);
  for (let i = 0; i < items.length; i++) {
    if (quick !== null) i = quick.each(items, i, answers);
    if (i < items.length) answers[i] = yield { fn, args: [items.at(i)] };
  }
}

function fromMap(coll: Value, key: Value, fallback: Value | undefined): Value {
  const isMap = typeof coll === "object" && coll !== null && coll.tag === "map";
  const found = isMap ? lookup(coll, key) : undefined;
  return found === undefined ? (fallback ?? null) : found;
}

/**
 * A key function of the `-by` family and `pluck`: a keyword, string or path vector reads a field (flexibly);
 * anything callable is called.
 */
export function keyFunction(name: string, key: Value, ctx: BuiltinContext): Direct | null {
  if (typeof key === "string")
    return ([item]) => {
      ctx.charge(1);
      return lookup(item!, key) ?? null;
    };
  if (typeof key === "object" && key !== null && key.tag === "vector") {
    ctx.charge(key.length >> 4);
    const path = key.toArray();
    return ([item]) => {
      ctx.charge(path.length);
      return lookupPath(item!, path) ?? null;
    };
  }
  return callee(name, key, ctx);
}

/** The value at the end of a path, undefined when anything on the way is missing. */
export function lookupPath(coll: Value, path: readonly Value[]): Value | undefined {
  let at: Value | undefined = coll;
  for (const key of path) {
    if (at === undefined) return undefined;
    at = lookup(at, key);
  }
  return at;
}

function notCallable(name: string, fn: Value): LispError {
  if (typeof fn === "object" && fn !== null && fn.tag === "vector") {
    const advice =
      fn.length === 1 && isCallable(fn.at(0))
        ? `use ${printBriefly(fn.at(0))} instead`
        : "the function comes before the collection; in a chain use ->> instead of ->";
    return invalidArgument(name, `expected predicate, got vector ${printBriefly(fn)} - ${advice}`);
  }
  return invalidArgument(name, `expected a function, got ${printBriefly(fn)}`);
}

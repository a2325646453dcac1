import type { BuiltinContext } from "../values/context";
import { inCard } from "../values/doc";
import { sameKey } from "../values/key-order";
import { lookup } from "../values/lookup";
import type { Value } from "../values/values";
import { typeError } from "./builtin-errors";
import { answersTo, callee, isTruthy } from "./callable";
import { type Args, type Calls, family } from "./define";
import { elements, isKeyword, reading, tagOf, vector } from "./sequence";

const { plain, higher } = family("filtering");

/** The first element for which the predicate's truth is `wanted`: [element, result], or undefined. */
function* firstWhere(
  name: string,
  args: Args,
  wanted: boolean,
  ctx: BuiltinContext,
): Generator<{ fn: Value; args: Value[] }, [Value, Value] | undefined, Value> {
  const [pred, coll] = args;
  const direct = callee(name, pred, ctx);
  const items = reading(name, args, coll, "vsmt", ctx);
  const quick = direct === null ? ctx.quick(pred, items.length) : null;
  for (let i = 0; i < items.length; i++) {
    const item = items.at(i);
    const answer = direct ? direct([item]) : quick?.one(item);
    const result: Value = answer === undefined ? yield { fn: pred, args: [item] } : answer;
    if (isTruthy(result) === wanted) return [item, result];
  }
  return undefined;
}

function* select(name: string, args: Args, wanted: boolean, ctx: BuiltinContext): Calls {
  const [pred, coll] = args;
  const direct = callee(name, pred, ctx);
  const items = reading(name, args, coll, "vsmt", ctx);
  const kept: Value[] = [];
  if (direct !== null)
    for (let i = 0; i < items.length; i++) {
      const item = items.at(i);
      if (isTruthy(direct([item])) === wanted) kept.push(item);
    }
  else {
    const answers = items.toArray();
    yield* answersTo(pred, items, answers, ctx);
    for (let i = 0; i < items.length; i++) if (isTruthy(answers[i]!) === wanted) kept.push(items.at(i));
  }
  return vector(kept, ctx);
}

function hasElement(items: readonly Value[], x: Value, ctx: BuiltinContext): boolean {
  if (typeof x === "string") ctx.charge(items.length * (x.length >> 7));
  else if (typeof x === "object" && x !== null && !isKeyword(x)) ctx.charge(items.length >> 2);
  return items.some((item) => sameKey(item, x));
}

function isEmpty(name: string, coll: Value): boolean {
  if (coll === null) return true;
  if (typeof coll === "string") return coll.length === 0;
  switch (tagOf(coll)) {
    case "vector":
      return (coll as { length: number }).length === 0;
    case "map":
    case "set":
      return (coll as { size: number }).size === 0;
    default:
      throw typeError(name, [coll]);
  }
}

/** Filtering and searching (lisp reference, section 11.1). */
export const FILTERING = [
  higher(
    "filter",
    2,
    "(filter pred coll)",
    inCard("sequences", 3, "The elements for which pred is true, as a vector."),
    (args, ctx) => select("filter", args, true, ctx),
  ),
  higher(
    "remove",
    2,
    "(remove pred coll)",
    inCard("sequences", 4, "The elements for which pred is false, as a vector."),
    (args, ctx) => select("remove", args, false, ctx),
  ),
  higher(
    "find",
    2,
    "(find pred coll)",
    inCard("sequences", 5, "The first element for which pred is true, or nil."),
    function* (args, ctx) {
      const found = yield* firstWhere("find", args, true, ctx);
      return found ? found[0] : null;
    },
  ),
  higher(
    "some",
    2,
    "(some pred coll)",
    inCard("sequences", 6, "The first true result of pred (true for a keyword), or nil."),
    function* (args, ctx) {
      const found = yield* firstWhere("some", args, true, ctx);
      if (!found) return null;
      // A keyword answers whether the field is true, not its value (lisp reference, section 11.1).
      return isKeyword(args[0]) ? true : found[1];
    },
  ),
  higher(
    "every?",
    2,
    "(every? pred coll)",
    inCard("sequences", 7, "Whether pred is true for all elements."),
    function* (args, ctx) {
      return (yield* firstWhere("every?", args, false, ctx)) === undefined;
    },
  ),
  higher(
    "not-any?",
    2,
    "(not-any? pred coll)",
    inCard("sequences", 8, "Whether pred is true for no element."),
    function* (args, ctx) {
      return (yield* firstWhere("not-any?", args, true, ctx)) === undefined;
    },
  ),
  plain(
    "contains?",
    2,
    "(contains? coll x)",
    inCard("sequences", 48, "Whether a set or vector has the element x, or a map the key x."),
    (args, ctx) => {
      const [coll, x] = args;
      if (coll === null) return false;
      switch (tagOf(coll)) {
        case "map":
          return lookup(coll, x) !== undefined;
        case "set":
          return (coll as { has(v: Value): boolean }).has(x);
        case "vector":
          return hasElement(elements("contains?", args, coll, "v", ctx), x, ctx);
        default:
          throw typeError("contains?", args, typeof coll === "string" ? "for text use includes?" : undefined);
      }
    },
  ),
  plain(
    "empty?",
    1,
    "(empty? coll)",
    inCard("sequences", 49, "Whether a collection has no elements; true for nil."),
    ([coll]) => isEmpty("empty?", coll),
  ),
  plain(
    "not-empty",
    1,
    "(not-empty coll)",
    inCard("sequences", 50, "The collection, or nil when it has no elements."),
    ([coll]) => (isEmpty("not-empty", coll) ? null : coll),
  ),
];

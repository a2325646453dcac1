import { isFiniteNumber } from "../../base/intrinsics";
import type { BuiltinContext } from "../values/context";
import { type Description, inCard } from "../values/doc";
import { compareTotal } from "../values/order";
import { Float, type Value } from "../values/values";
import { arithmeticError } from "./builtin-errors";
import { callee, keyFunction } from "./callable";
import { type Args, type Calls, family, MANY } from "./define";
import { add, isNumber, type Num, toHost } from "./numbers";
import { elements, isMap, isSet, isVector } from "./sequence";

const { plain, higher } = family("aggregates");

/** The numbers among values. nil is skipped, anything else is refused, infinite and NaN floats too. */
function numbers(name: string, values: readonly Value[]): Num[] {
  const out: Num[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!isNumber(value) || (value instanceof Float && !isFiniteNumber(value.n)))
      throw arithmeticError(name, "all values must be finite numbers or nil");
    out.push(value);
  }
  return out;
}

function total(name: string, values: readonly Value[], ctx: BuiltinContext): Value {
  ctx.charge(1 + (values.length >> 2));
  return numbers(name, values).reduce<Value>((sum, n) => add(name, sum, n, ctx, []), 0);
}

function average(name: string, values: readonly Value[], ctx: BuiltinContext): Value {
  const counted = numbers(name, values).length;
  return counted === 0 ? null : new Float(toHost(total(name, values, ctx) as Num) / counted);
}

function* fields(
  name: string,
  args: Args,
  coll: Value,
  ctx: BuiltinContext,
): Generator<{ fn: Value; args: Value[] }, { item: Value; field: Value }[], Value> {
  const key = args[0];
  const direct = keyFunction(name, key, ctx);
  const out: { item: Value; field: Value }[] = [];
  for (const item of elements(name, args, coll, "vsmt", ctx))
    out.push({ item, field: direct ? direct([item]) : yield { fn: key, args: [item] } });
  return out;
}

const overField = (
  name: string,
  text: Description,
  combine: (name: string, values: readonly Value[], ctx: BuiltinContext) => Value,
) =>
  higher(name, 2, `(${name} key coll)`, text, function* (args, ctx) {
    const rows = yield* fields(name, args, args[1], ctx);
    return combine(
      name,
      rows.map((row) => row.field),
      ctx,
    );
  });

function best(rows: { item: Value; field: Value }[], sign: 1 | -1): Value {
  let winner: { item: Value; field: Value } | undefined;
  for (const row of rows) {
    if (row.field === null) continue;
    if (winner === undefined || sign * compareTotal(row.field, winner.field) > 0) winner = row;
  }
  return winner ? winner.item : null;
}

const extremeBy = (name: string, text: Description, sign: 1 | -1) =>
  higher(name, [2, MANY], [`(${name} key coll)`, `(${name} key a b & more)`], text, function* (args, ctx): Calls {
    const single = args[1];
    const isCollection =
      single === null || isVector(single) || isMap(single) || isSet(single) || typeof single === "string";
    const coll = args.length === 2 && isCollection ? single : undefined;
    if (coll !== undefined) return best(yield* fields(name, args, coll, ctx), sign);
    const direct = keyFunction(name, args[0], ctx);
    const rows: { item: Value; field: Value }[] = [];
    for (const item of args.slice(1))
      rows.push({ item, field: direct ? direct([item]) : yield { fn: args[0], args: [item] } });
    return best(rows, sign);
  });

const extremeKey = (name: string, text: Description, sign: 1 | -1) =>
  higher(name, [2, MANY], `(${name} f x & more)`, text, function* (args, ctx): Calls {
    const direct = callee(name, args[0], ctx);
    if (args.length === 2) return args[1];
    let winner: Value = null;
    let most: Value | undefined;
    for (const item of args.slice(1)) {
      const field: Value = direct ? direct([item]) : yield { fn: args[0], args: [item] };
      // Of equal ones the last wins, as in Clojure (unlike min-by and max-by).
      if (most === undefined || sign * compareTotal(field, most) >= 0) {
        winner = item;
        most = field;
      }
    }
    return winner;
  });

/** Aggregates (lisp reference, section 11.5). */
export const AGGREGATES = [
  plain("sum", 1, "(sum coll)", inCard("aggregates", 1, "Sum of the numbers, nil skipped; 0 for none."), (args, ctx) =>
    total("sum", elements("sum", [args[0]], args[0], "vt", ctx), ctx),
  ),
  plain(
    "avg",
    1,
    "(avg coll)",
    inCard("aggregates", 2, "Mean of the numbers as a float, nil skipped; nil for none."),
    (args, ctx) => average("avg", elements("avg", [args[0]], args[0], "vt", ctx), ctx),
  ),
  overField(
    "sum-by",
    inCard("aggregates", 3, "Sum of a field (or path, or function) over the elements; missing ones are skipped."),
    total,
  ),
  overField(
    "avg-by",
    inCard("aggregates", 4, "Mean of a field (or path, or function) over the elements; missing ones are skipped."),
    average,
  ),
  extremeBy(
    "min-by",
    inCard("aggregates", 5, "The element with the least field; elements without it are skipped."),
    -1,
  ),
  extremeBy(
    "max-by",
    inCard("aggregates", 6, "The element with the greatest field; elements without it are skipped."),
    1,
  ),
  extremeKey("min-key", "The argument for which f is least; the last of several equal ones.", -1),
  extremeKey("max-key", "The argument for which f is greatest; the last of several equal ones.", 1),
];

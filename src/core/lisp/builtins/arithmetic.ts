import { abs, ceil, floor, isFiniteNumber, isNaNumber, sign, sqrt, toNumber, trunc } from "../../base/intrinsics";
import { type Description, inCard } from "../values/doc";
import { equalValues } from "../values/equality";
import { compareStrict, compareTotal } from "../values/order";
import { Float, type Value } from "../values/values";
import { arithmeticError, invalidArgument, typeError } from "./builtin-errors";
import { alias, family, MANY } from "./define";
import {
  add,
  checkNumbers,
  divide,
  isInteger,
  isNumber,
  multiply,
  type Num,
  roundHalfAway,
  subtract,
  toHost,
  wholeDivision,
  wholeOf,
} from "./numbers";

const { plain } = family("arithmetic");

const rounding = (name: string, text: Description, whole: (n: number) => number) =>
  plain(name, 1, `(${name} x)`, text, ([x]) => {
    if (isInteger(x)) return x;
    if (!(x instanceof Float)) throw typeError(name, [x]);
    return isFiniteNumber(x.n) ? wholeOf(name, whole(x.n)) : x;
  });

const ordering = (name: string, text: Description, matches: (order: number) => boolean) =>
  plain(name, 2, `(${name} a b)`, text, ([a, b]) => matches(compareStrict(name, a, b)));

const predicate = (name: string, text: Description, matches: (n: Num) => boolean) =>
  plain(name, 1, `(${name} x)`, text, ([x]) => isNumber(x) && matches(x));

const parity = (name: string, text: Description, odd: boolean) =>
  plain(name, 1, `(${name} n)`, text, ([n]) => {
    if (n instanceof Float) throw arithmeticError(name, "whole numbers only");
    if (typeof n === "bigint") return (BigInt.asUintN(1, n) === 1n) === odd;
    return typeof n === "number" && (n % 2 !== 0) === odd;
  });

const extreme = (name: string, text: Description, sign: 1 | -1) =>
  plain(name, [1, MANY], `(${name} x & more)`, text, (args) => {
    let best: Value = args[0];
    for (let i = 1; i < args.length; i++) {
      const next = args[i]!;
      if (isNaNFloat(best)) return best;
      if (isNaNFloat(next)) return next;
      if (compareTotal(next, best) * sign > 0) best = next;
    }
    return best;
  });

/** Passed for arguments that are known to be numbers. */
const CHECKED: readonly Value[] = [];

/** Combines numbers from the left, after checking all of them. A single number is returned as it is. */
function folded(
  name: string,
  args: readonly Value[],
  none: number,
  combine: (left: Value, right: Value) => Value,
): Value {
  if (args.length === 0) return none;
  if (args.length > 1) checkNumbers(name, args);
  let left = args[0] as Value;
  for (let i = 1; i < args.length; i++) left = combine(left, args[i] as Value);
  return left;
}

const isNaNFloat = (value: Value): boolean => value instanceof Float && isNaNumber(value.n);

const toDouble = plain("double", 1, "(double x)", inCard("numbers", 20, "x as a float."), ([x]) => {
  if (!isNumber(x)) throw typeError("double", [x]);
  return x instanceof Float ? x : new Float(toNumber(x));
});

/** Arithmetic and numeric predicates (lisp reference, sections 11.8 and 11.9). */
export const ARITHMETIC = [
  plain("+", [0, MANY], "(+ & numbers)", inCard("numbers", 1, "Sum; 0 without arguments."), (args, ctx) => {
    if (args.length === 2) return add("+", args[0], args[1], ctx, args);
    return folded("+", args, 0, (sum, n) => add("+", sum, n, ctx, CHECKED));
  }),
  plain("*", [0, MANY], "(* & numbers)", inCard("numbers", 3, "Product; 1 without arguments."), (args, ctx) => {
    if (args.length === 2) return multiply("*", args[0], args[1], ctx, args);
    return folded("*", args, 1, (product, n) => multiply("*", product, n, ctx, CHECKED));
  }),
  plain(
    "-",
    [0, MANY],
    ["(- x)", "(- x y & more)"],
    inCard("numbers", 2, "Difference; of one number its negative."),
    (args, ctx) => {
      if (args.length === 0) return 0;
      if (args.length === 1)
        return args[0] instanceof Float ? new Float(-args[0].n) : subtract("-", 0, args[0], ctx, args);
      if (args.length === 2) return subtract("-", args[0], args[1], ctx, args);
      return folded("-", args, 0, (left, n) => subtract("-", left, n, ctx, CHECKED));
    },
  ),
  plain(
    "/",
    [1, MANY],
    "(/ x & divisors)",
    inCard("numbers", 4, "Quotient, always a float; use quot for whole numbers."),
    (args) => {
      return folded("/", args, 1, (left, n) => divide("/", left, n, CHECKED));
    },
  ),
  plain("mod", 2, "(mod a b)", inCard("numbers", 6, "Remainder with the sign of b."), ([a, b], ctx) =>
    wholeDivision("mod", a, b, ctx),
  ),
  plain("rem", 2, "(rem a b)", inCard("numbers", 7, "Remainder with the sign of a."), ([a, b], ctx) =>
    wholeDivision("rem", a, b, ctx),
  ),
  plain("quot", 2, "(quot a b)", inCard("numbers", 5, "Whole quotient, cut towards zero."), ([a, b], ctx) =>
    wholeDivision("quot", a, b, ctx),
  ),
  plain("inc", 1, "(inc n)", inCard("numbers", 8, "n + 1."), ([n], ctx) => add("inc", n, 1, ctx, [n])),
  plain("dec", 1, "(dec n)", inCard("numbers", 9, "n - 1."), ([n], ctx) => subtract("dec", n, 1, ctx, [n])),
  plain("abs", 1, "(abs n)", inCard("numbers", 10, "n without its sign; integers stay integers."), ([n], ctx) => {
    if (n instanceof Float) return new Float(abs(n.n));
    if (typeof n === "bigint") return n < 0n ? subtract("abs", 0, n, ctx, [n]) : n;
    if (typeof n !== "number") throw typeError("abs", [n]);
    return abs(n);
  }),
  extreme("max", inCard("numbers", 11, "The greatest argument (for a collection: (apply max xs))."), 1),
  extreme("min", inCard("numbers", 12, "The least argument (for a collection: (apply min xs))."), -1),
  rounding("floor", inCard("numbers", 13, "The nearest integer that is not above x."), floor),
  rounding("ceil", inCard("numbers", 14, "The nearest integer that is not below x."), ceil),
  rounding("round", inCard("numbers", 15, "The nearest integer; halves go away from zero."), roundHalfAway),
  rounding("trunc", inCard("numbers", 16, "The integer towards zero."), trunc),
  plain("int", 1, "(int x)", inCard("numbers", 19, "The integer towards zero."), ([x]) => {
    if (isInteger(x)) return x;
    if (!(x instanceof Float)) throw typeError("int", [x]);
    return wholeOf("int", trunc(x.n));
  }),
  toDouble,
  alias(toDouble, "float"),
  plain("sqrt", 1, "(sqrt x)", inCard("numbers", 17, "Square root, a float; ##NaN for negative numbers."), ([x]) => {
    if (!isNumber(x)) throw typeError("sqrt", [x]);
    return new Float(sqrt(toHost(x)));
  }),
  plain("pow", 2, "(pow x y)", inCard("numbers", 18, "x to the power of y, a float."), ([x, y]) => {
    if (!isNumber(x) || !isNumber(y)) throw typeError("pow", [x, y]);
    const power = toHost(x) ** toHost(y);
    if (toHost(x) < 0 && isNaNumber(power) && isFiniteNumber(toHost(y)))
      throw arithmeticError("pow", "a negative number has no fractional power");
    return new Float(x === 1 ? 1 : power);
  }),
  plain("=", 2, "(= a b)", "Whether two values are equal; 1 equals 1.0.", ([a, b], ctx) =>
    equalValues(a, b, (steps) => ctx.charge(steps)),
  ),
  plain("not=", 2, "(not= a b)", "Whether two values differ.", ([a, b], ctx) => {
    return !equalValues(a, b, (steps) => ctx.charge(steps));
  }),
  ordering("<", "Whether a is less than b.", (order) => order < 0),
  ordering(">", "Whether a is greater than b.", (order) => order > 0),
  ordering("<=", "Whether a is at most b.", (order) => order <= 0),
  ordering(">=", "Whether a is at least b.", (order) => order >= 0),
  plain(
    "compare",
    2,
    "(compare a b)",
    inCard("numbers", 21, "-1, 0 or 1, as a is less than, equal to or greater than b."),
    ([a, b]) => {
      const order = compareStrict("compare", a, b);
      if (isNaNumber(order)) throw invalidArgument("compare", "NaN has no order");
      return sign(order) + 0;
    },
  ),
  predicate("zero?", inCard("tests", 3, "Whether x is 0 or 0.0."), (n) => toHost(n) === 0),
  predicate("pos?", inCard("tests", 4, "Whether x is above zero."), (n) => toHost(n) > 0),
  predicate("neg?", inCard("tests", 5, "Whether x is below zero."), (n) => toHost(n) < 0),
  parity("even?", inCard("tests", 6, "Whether an integer is even."), false),
  parity("odd?", inCard("tests", 7, "Whether an integer is odd."), true),
];

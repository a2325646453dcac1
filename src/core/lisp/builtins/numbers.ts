import { abs, floor, isFiniteNumber, isSafeInteger, NAN, sign, toBigInt, toNumber, trunc } from "../../base/intrinsics";
import type { BuiltinContext } from "../values/context";
import { integer } from "../values/encode";
import { bitsOf } from "../values/traversal-limit";
import { Float, type Value } from "../values/values";
import { arithmeticError, typeError } from "./builtin-errors";

/** Numbers of the language: integers of any size (host number, or bigint past 2^53) and boxed floats. */
export type Int = number | bigint;
export type Num = Int | Float;

const MAX_DIGITS = 10_000;
const TOO_LARGE = 10n ** toBigInt(MAX_DIGITS);
const BITS_OF_A_STEP = 4_096;
/** Squared. */
const DIGITS_OF_A_STEP = 1 << 16;

/** Returns whether a value is an integer or a float. */
export const isNumber = (value: Value): value is Num =>
  typeof value === "number" || typeof value === "bigint" || value instanceof Float;

/** Returns whether a value is an integer of any size. */
export const isInteger = (value: Value): value is Int => typeof value === "number" || typeof value === "bigint";

/** The number as a host float, possibly rounded. */
export const toHost = (n: Num): number => (typeof n === "number" ? n : n instanceof Float ? n.n : toNumber(n));

/**
 * Normalises an integer. One of more than 10,000 digits is refused, so that programs cannot grow numbers without end.
 */
export function bounded(name: string, n: bigint): Int {
  if (n >= TOO_LARGE || n <= -TOO_LARGE)
    throw arithmeticError(name, `integer result has more than ${MAX_DIGITS} digits`);
  return integer(n);
}

/** The integer in a text of digits, with or without a sign. The host reads long ones in quadratic time. */
export function integerOfDigits(text: string, ctx: BuiltinContext): Int {
  ctx.charge(1 + floor((text.length * text.length) / DIGITS_OF_A_STEP));
  ctx.allocate(text.length >> 1);
  return integer(toBigInt(text.replace(/^\+/, "")));
}

/** Throws a type error unless all arguments are numbers. */
export function checkNumbers(name: string, args: readonly Value[]): void {
  for (const arg of args) if (!isNumber(arg)) throw typeError(name, args);
}

/** Adds two numbers; a float makes the sum a float. */
export function add(name: string, a: Value, b: Value, ctx: BuiltinContext, args: readonly Value[]): Value {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (isSafeInteger(sum)) return sum;
  }
  checkNumbers(name, args);
  if (a instanceof Float || b instanceof Float) return new Float(toHost(a as Num) + toHost(b as Num));
  chargeWide(ctx, a as Int, b as Int);
  return bounded(name, toBigInt(a as Int) + toBigInt(b as Int));
}

/** Subtracts two numbers; a float makes the difference a float. */
export function subtract(name: string, a: Value, b: Value, ctx: BuiltinContext, args: readonly Value[]): Value {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (isSafeInteger(difference)) return difference;
  }
  checkNumbers(name, args);
  if (a instanceof Float || b instanceof Float) return new Float(toHost(a as Num) - toHost(b as Num));
  chargeWide(ctx, a as Int, b as Int);
  return bounded(name, toBigInt(a as Int) - toBigInt(b as Int));
}

/** Multiplies two numbers; a float makes the product a float. */
export function multiply(name: string, a: Value, b: Value, ctx: BuiltinContext, args: readonly Value[]): Value {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // + 0 turns the host's minus zero into zero: integers have no minus zero.
    if (isSafeInteger(product)) return product + 0;
  }
  checkNumbers(name, args);
  if (a instanceof Float || b instanceof Float) return new Float(toHost(a as Num) * toHost(b as Num));
  // The host's long multiplication is quadratic, so the charge is too.
  const [left, right] = [bitsOf(a as Int), bitsOf(b as Int)];
  ctx.charge(1 + floor((left * right) / (BITS_OF_A_STEP * 64)));
  ctx.allocate((left + right) >> 3);
  return bounded(name, toBigInt(a as Int) * toBigInt(b as Int));
}

/** Charges for a result about as long as the longer of the two. */
function chargeWide(ctx: BuiltinContext, a: Int, b: Int): void {
  const bits = bitsOf(a) + bitsOf(b);
  ctx.charge(1 + floor(bits / BITS_OF_A_STEP));
  ctx.allocate(bits >> 4);
}

/** Always a float; division by zero gives an infinity or NaN. */
export function divide(name: string, a: Value, b: Value, args: readonly Value[]): Value {
  checkNumbers(name, args);
  return new Float(toHost(a as Num) / toHost(b as Num));
}

type Division = "mod" | "rem" | "quot";

/** Whole-number division: `quot` and `rem` truncate, `mod` takes the sign of the divisor. */
export function wholeDivision(name: Division, a: Value, b: Value, ctx: BuiltinContext): Value {
  const args = [a, b];
  checkNumbers(name, args);
  if (a instanceof Float || b instanceof Float) return floatDivision(name, toHost(a as Num), toHost(b as Num));
  if (b === 0) throw arithmeticError(name, "division by zero");
  if (typeof a === "number" && typeof b === "number") {
    const rem = a % b;
    if (name === "quot") return (a - rem) / b + 0;
    return (name === "mod" && rem !== 0 && rem < 0 !== b < 0 ? rem + b : rem) + 0;
  }
  const x = toBigInt(a as Int);
  const y = toBigInt(b as Int);
  ctx.charge(1 + floor((bitsOf(a as Int) * bitsOf(b as Int)) / (BITS_OF_A_STEP * 64)));
  ctx.allocate(bitsOf(a as Int) >> 3);
  if (name === "quot") return integer(x / y);
  const rem = x % y;
  return integer(name === "mod" && rem !== 0n && rem < 0n !== y < 0n ? rem + y : rem);
}

function floatDivision(name: Division, a: number, b: number): Value {
  if (!isFiniteNumber(a) || !isFiniteNumber(b)) return new Float(NAN);
  if (b === 0) throw arithmeticError(name, "division by zero");
  if (name === "quot") return wholeOf(name, trunc(a / b));
  const rem = a % b;
  return new Float(name === "mod" && rem !== 0 && rem < 0 !== b < 0 ? rem + b : rem);
}

/** A float without a fraction as an integer. */
export function wholeOf(name: string, n: number): Int {
  if (!isFiniteNumber(n)) throw arithmeticError(name, "an infinite or not-a-number float has no integer");
  return isSafeInteger(n) ? n + 0 : integer(toBigInt(n));
}

/** Rounds to the nearest integer; halves away from zero. */
export const roundHalfAway = (n: number): number => {
  const whole = trunc(n);
  return abs(n - whole) >= 0.5 ? whole + sign(n) : whole;
};

/**
 * The host functions that evaluation uses all the time, looked up once. In the workflow sandbox every access to a
 * global name is intercepted and costs dozens of instructions: global names made programs up to ten times slower there.
 */

export const { isSafeInteger, isInteger: isWhole, isFinite: isFiniteNumber, isNaN: isNaNumber } = Number;
export const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER, POSITIVE_INFINITY: INFINITY, NaN: NAN } = Number;
export const { abs, ceil, clz32, floor, log2, max, min, sign, sqrt, trunc } = Math;
export const { entries: entriesOf, fromEntries, is: isSame, keys: keysOf } = Object;
export const { isArray } = Array;
export const { fromCodePoint } = String;
/** The host's Map. */
export const HostMap = Map;
/** The host's Set. */
export const HostSet = Set;
/** Makes a function from its text: only in `lisp/direct`, from texts that contain nothing of a program. */
export const HostFunction = Function;
/** The host's Int32Array. */
export const HostInts = Int32Array;
/** The host's Float64Array. */
export const HostFloats = Float64Array;
/** As `Number(value)`. */
export const toNumber = Number;
/** As `BigInt(value)`. */
export const toBigInt = BigInt;
/** As `String(value)`. */
export const toText = String;

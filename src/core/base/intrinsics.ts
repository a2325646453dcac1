/**
 * What evaluation uses of the host all the time, looked up once. In the sandbox that workflows run in every use of a
 * global name is intercepted and takes as long as dozens of instructions: by their global names these made programs
 * up to ten times slower there.
 */

export const { isSafeInteger, isInteger: isWhole, isFinite: isFiniteNumber, isNaN: isNaNumber } = Number;
export const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER, POSITIVE_INFINITY: INFINITY, NaN: NAN } = Number;
export const { abs, ceil, clz32, floor, log2, max, min, sign, sqrt, trunc } = Math;
export const { entries: entriesOf, fromEntries, is: isSame, keys: keysOf } = Object;
export const { isArray } = Array;
export const { fromCodePoint } = String;
export const HostMap = Map;
export const HostSet = Set;
export const HostInts = Int32Array;
export const toNumber = Number;
export const toBigInt = BigInt;
export const toText = String;

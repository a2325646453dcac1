import { abs, isFiniteNumber, isNaNumber, isSame, toBigInt, toText } from "../../base/intrinsics";
/** Floats as text, for people, models and JSON: never locale-dependent. */

/**
 * The formatter's notation (lisp reference, section 5): at most ten decimals, trailing zeros dropped, at least one
 * decimal, no exponent.
 */
export function formatFloat(n: number, decimals = 10): string {
  if (!isFiniteNumber(n)) return isNaNumber(n) ? "##NaN" : n > 0 ? "##Inf" : "##-Inf";
  if (abs(n) >= 1e21) return `${toBigInt(n)}.0`;
  if (isSame(n, -0)) return "-0.0";
  const text = n.toFixed(decimals).replace(/0+$/, "");
  return text.endsWith(".") ? `${text}0` : text;
}

/** The notation of `str`: the shortest that reads back as the same float; an exponent from 1e16 on and below 1e-5. */
export function shortestFloat(n: number): string {
  if (!isFiniteNumber(n)) return isNaNumber(n) ? "NaN" : n > 0 ? "Infinity" : "-Infinity";
  if (isSame(n, -0)) return "-0.0";
  const size = abs(n);
  if (size === 0 || (size < 1e16 && size >= 1e-5)) {
    const text = toText(n);
    return text.includes(".") ? text : `${text}.0`;
  }
  const text = n.toExponential();
  const [digits = "", exponent] = text.split("e");
  const pointed = digits.includes(".") ? digits : `${digits}.0`;
  return exponent === undefined ? pointed : `${pointed}e${exponent.replace("+", "")}`;
}

/** `YYYY-MM-DDTHH:MM:SS[.mmm]Z`; milliseconds only when there are some. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

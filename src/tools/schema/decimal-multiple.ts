import type { FuncKeywordDefinition } from "ajv";

/**
 * `multipleOf` for the decimal numbers that people and JSON write: 19.99 is a multiple of 0.01. Ajv divides binary numbers, and
 * 19.99 / 0.01 is 1998.9999999999998.
 */
export const DECIMAL_MULTIPLE: FuncKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  compile: (unit: number) => {
    const check: ReturnType<NonNullable<FuncKeywordDefinition["compile"]>> = (value: number) => {
      if (isMultiple(value, unit)) return true;
      check.errors = [{ keyword: "multipleOf", message: `must be multiple of ${unit}`, params: { multipleOf: unit } }];
      return false;
    };
    return check;
  },
};

function isMultiple(value: number, unit: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(unit) || unit === 0) return false;
  const [a, b] = [decimalOf(value), decimalOf(unit)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (one: Decimal) => one.digits * 10n ** BigInt(one.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** digits x 10^exponent */
interface Decimal {
  digits: bigint;
  exponent: number;
}

/** The shortest decimal number that is read as this one. */
function decimalOf(value: number): Decimal {
  const [mantissa = "", power = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

import { durationMs } from "../../core/base/duration";
import { badUsage } from "../terminal/exit";

/** Whether a text is a number as people write it: `0x10` and `1_000` are none. */
export const isDecimal = (text: string): boolean =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim()) && Number.isFinite(Number(text));

/** A whole number of at least `min`; undefined if the option is not given. */
export function wholeNumber(option: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (isDecimal(text) && Number.isSafeInteger(value) && value >= min) return value;
  throw badUsage(option, `${option} must be a whole number, ${min} or more, got "${text}".`);
}

/** Any number of an option. */
export function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (isDecimal(text)) return value;
  throw badUsage(option, `${option} must be a number, got "${text}".`);
}

/** Milliseconds of a text such as `5m`. */
export function duration(option: string, text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw badUsage(option, `${option} must be a time such as 30s, 5m or 2h, got "${text}".`);
}

import { badUsage } from "../terminal/exit";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * A time as a person gives it: a day (`2026-12-24`) or a time with its zone. Gives UTC, as in `2026-12-24T00:00:00Z`.
 *
 * @param end of a day is meant, and not its begin
 * @throws NavigatorError `bad_usage`
 */
export function timeArgument(option: string, text: string, { end = false } = {}): string {
  const isDay = DAY.test(text);
  const ms = isDay || TIME.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse takes the 30th of February for a day in March.
  const isReal = isDay
    ? isoText(ms)?.startsWith(text)
    : isoText(Date.parse(text.slice(0, 10)))?.startsWith(text.slice(0, 10));
  if (Number.isNaN(ms) || !isReal)
    throw badUsage(
      option,
      `${option}: "${text}" is no date.`,
      `A day as in 2026-12-24 (UTC), or a time with its zone as in 2026-12-24T18:00:00+01:00`,
    );
  return isoText(isDay && end ? ms + DAY_MS : ms) as string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const isoText = (ms: number): string | undefined =>
  Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");

/** Reads dates from text. The host's own parser is not used: its rules and its time zone differ between hosts. */

const DAY = 86_400_000;

/** Days of a civil date since 1970-01-01, or undefined when there is no such day. */
function days(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  // Not Date.UTC: it takes the years 0-99 for 1900-1999.
  const ms = date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms / DAY : undefined;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** `YYYY-MM-DD` of an existing day, else undefined. */
export function isoDate(text: string): string | undefined {
  return midnight(text) === undefined ? undefined : text;
}

/**
 * Milliseconds since 1970 of an ISO date-time with offset, an ISO date (midnight UTC), or an RFC 2822 date; else
 * undefined.
 */
export function instantOf(text: string): number | undefined {
  return isoDateTime(text) ?? midnight(text) ?? rfcDateTime(text);
}

function midnight(text: string): number | undefined {
  const match = ISO_DATE.exec(text);
  const day = match ? days(Number(match[1]), Number(match[2]), Number(match[3])) : undefined;
  return day === undefined ? undefined : day * DAY;
}

interface Clock {
  hour: string | undefined;
  minute: string | undefined;
  second?: string | undefined;
  fraction?: string | undefined;
  offset?: string | undefined;
}

function at(day: number | undefined, { hour, minute, second, fraction, offset }: Clock): number | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second ?? 0)];
  const shift = offsetMinutes(offset);
  if (day === undefined || h > 23 || m > 59 || s > 59 || shift === undefined) return undefined;
  const ms = Math.trunc(Number(`0.${fraction ?? "0"}`) * 1000);
  return day * DAY + ((h * 60 + m - shift) * 60 + s) * 1000 + ms;
}

/** Minutes east of UTC of `Z`, `+hh:mm`, `+hhmm`, a zone name of RFC 2822 or nothing. */
function offsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined) return 0;
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(text);
  if (match) return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
  return ZONES[text.toUpperCase()];
}

const ZONES: Record<string, number | undefined> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};

function isoDateTime(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i.exec(
    text,
  );
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  return at(days(Number(year), Number(month), Number(day)), { hour, minute, second, fraction, offset });
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

function rfcDateTime(text: string): number | undefined {
  const match =
    /^(?:[A-Za-z]{3},\s*)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d{2}):(\d{2})(?::(\d{2}))?(?:\s+([+-]\d{4}|[A-Za-z]{1,3}))?$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, day, month, year, hour, minute, second, offset] = match;
  const number = MONTHS.indexOf(month!.toLowerCase()) + 1;
  return number === 0 ? undefined : at(days(Number(year), number, Number(day)), { hour, minute, second, offset });
}

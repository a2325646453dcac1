/** The largest time that a date can show, ms since 1970. */
export const MAX_DATE_MS = 8.64e15;

/**
 * Ms since 1970 as ISO text. A number outside of the dates there are is given as it is: an agent may have written
 * anything.
 */
export const isoTime = (ms: number): string => (Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : String(ms));

/** Whether the day that an ISO text begins with exists. `Date.parse` takes the 30th of February for a day in March. */
export function isRealDay(text: string): boolean {
  const [day = ""] = text.split("T");
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && isoTime(ms).startsWith(day);
}

/** Whether there is such a time zone, as in `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: nothing else knows which time zones there are
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The largest time that a date can show, ms since 1970. */
export const MAX_DATE_MS = 8.64e15;

/**
 * Ms since 1970 as ISO text. A number outside of the dates there are is given as it is: an agent may have written
 * anything.
 */
export const isoTime = (ms: number): string => (Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : String(ms));

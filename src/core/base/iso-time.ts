/** The largest time that a date can show. */
const MAX_DATE_MS = 8.64e15;

/** Ms since 1970 as ISO text; what is no date any more, as the number that it is: an agent may have written anything. */
export const isoTime = (ms: number): string => (Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : String(ms));

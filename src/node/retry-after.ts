/** The maximum wait: a mission should not sleep for an hour unseen. */
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * The wait in milliseconds from the response's headers: `retry-after-ms`, or `retry-after` in seconds or as an HTTP
 * date; capped. Undefined if they are missing or invalid.
 */
export function retryAfterMs(headers: { [name: string]: string } | undefined, now: number): number | undefined {
  const header = (name: string) =>
    Object.entries(headers ?? {})
      .find(([key]) => key.toLowerCase() === name)?.[1]
      ?.trim();
  const inMs = header("retry-after-ms");
  if (inMs) return capped(Number(inMs));
  const after = header("retry-after");
  if (!after) return undefined;
  const seconds = Number(after);
  return capped(Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1_000);
}

function capped(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS) : undefined;
}

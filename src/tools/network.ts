/** Errors of a connection that was never made: what was asked for was not done. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether a failed `fetch` reached nobody. */
export function reachedNobody(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (NOT_CONNECTED.has((at as NodeJS.ErrnoException).code ?? "")) return true;
    // Several addresses were tried, each with an error of its own.
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every(reachedNobody);
  }
  return false;
}

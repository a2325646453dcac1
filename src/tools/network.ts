/** Errors of connections that were never established: nothing was done. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether a failed `fetch` never reached a server. */
export function reachedNobody(error: unknown): boolean {
  // Not by class: errors of Node's own code may come from another realm.
  let at = error as (NodeJS.ErrnoException & { errors?: unknown }) | undefined;
  for (let depth = 0; typeof at === "object" && at !== null && depth < 5; depth++) {
    if (NOT_CONNECTED.has(at.code ?? "")) return true;
    // The client tried several addresses, each with its own error.
    if (Array.isArray(at.errors) && at.errors.length > 0) return at.errors.every(reachedNobody);
    at = at.cause as typeof at;
  }
  return false;
}

/** Errors of a request that was under way: the server may have got it, and acted. */
const UNDER_WAY = new Set<unknown>([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ECONNABORTED",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_ABORTED",
]);
const BROKEN_OFF = new Set<unknown>(["AbortError", "TimeoutError"]);
const MAX_CAUSES = 3;

/**
 * Whether an error, or one of its causes, shows that a request was broken off that may have reached its server. The
 * outermost error about a connection decides. Errors about other things do not count.
 */
export function mayHaveReached(error: unknown, causes = MAX_CAUSES): boolean {
  // Not by class: errors of Node's own code may come from another realm.
  if (typeof error !== "object" || error === null) return false;
  const { code, syscall, name, errors, cause } = error as NodeJS.ErrnoException & { errors?: unknown };
  if (NOT_CONNECTED.has(code ?? "") || syscall === "connect") return false;
  // The client tried several, such as the addresses of a host, each with its own error.
  if (Array.isArray(errors) && errors.length > 0)
    return causes > 0 && errors.some((one) => mayHaveReached(one, causes - 1));
  if (UNDER_WAY.has(code) || BROKEN_OFF.has(name)) return true;
  return causes > 0 && mayHaveReached(cause, causes - 1);
}

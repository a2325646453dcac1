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
    // Several addresses were tried, each with an error of its own.
    if (Array.isArray(at.errors) && at.errors.length > 0) return at.errors.every(reachedNobody);
    at = at.cause as typeof at;
  }
  return false;
}

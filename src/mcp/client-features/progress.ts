import type { Call } from "../context/tool";

const SIGN_OF_LIFE_MS = 15_000;

/**
 * Reports progress of a long call to the client at least every 15 s, if the client asked for it (mcp reference, section
 * 5). Returns a function that stops it.
 */
export function sendProgress({ extra }: Pick<Call, "extra">, message: () => string): () => void {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const since = Date.now();
  const timer = setInterval(() => {
    // Seconds: the number must rise, and the total is unknown.
    const params = { progressToken, progress: Math.round((Date.now() - since) / 1000), message: message() };
    void extra.sendNotification({ method: "notifications/progress", params }).catch(() => {});
  }, SIGN_OF_LIFE_MS);
  return () => clearInterval(timer);
}

/** Writes to the client's log. A client that does not listen is not an error. */
export function logToClient({ extra }: Pick<Call, "extra">, data: { event: string; [field: string]: unknown }): void {
  void extra.log("info", data, "navigator").catch(() => {});
}

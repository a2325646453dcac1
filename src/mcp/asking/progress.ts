import type { Call } from "../context/tool";

const SIGN_OF_LIFE_MS = 15_000;

/**
 * Tells the client at least every 15 s that a long call is alive, if it asked to be told (mcp reference, section 5).
 * Gives how to end that.
 */
export function sendProgress({ extra }: Pick<Call, "extra">, message: () => string): () => void {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const since = Date.now();
  const timer = setInterval(() => {
    // Seconds: it must rise, and nobody knows how much there is in all.
    const params = { progressToken, progress: Math.round((Date.now() - since) / 1000), message: message() };
    void extra.sendNotification({ method: "notifications/progress", params }).catch(() => {});
  }, SIGN_OF_LIFE_MS);
  return () => clearInterval(timer);
}

/** Says something to the client's log. One that does not listen is no fault. */
export function logToClient(
  { server, extra }: Pick<Call, "server" | "extra">,
  data: { event: string; [field: string]: unknown },
): void {
  void server.sendLoggingMessage({ level: "info", logger: "navigator", data }, extra.sessionId).catch(() => {});
}

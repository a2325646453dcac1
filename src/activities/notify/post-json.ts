import { retryAfterMs } from "../../node/retry-after";
import { DeliveryError } from "./channel";

const PATIENCE_MS = 10_000;

/** These mean that the receiver is gone for good, or will never take this message. */
const FINAL: readonly number[] = [410, 413];

/**
 * Posts a body of JSON. A redirect is a failure: the body is for nobody else. The response body is not read, because
 * nobody knows what it contains.
 *
 * @throws DeliveryError that names neither the address nor a header: both may be secrets
 */
export async function postJson(
  url: URL,
  body: string,
  headers: { [name: string]: string },
  signal: AbortSignal,
): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "navigator", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
  } catch (error) {
    throw new DeliveryError(`no answer (${codeOf(error)})`);
  }
  await response.body?.cancel().catch(() => {});
  if (response.ok) return;
  const pause = retryAfterMs(Object.fromEntries(response.headers), Date.now());
  throw new DeliveryError(`the receiver answered ${response.status}`, {
    final: FINAL.includes(response.status),
    ...(pause === undefined ? {} : { retryAfterMs: pause }),
  });
}

/** `ECONNREFUSED`, `TimeoutError`: the innermost name of what went wrong. Messages may contain addresses. */
function codeOf(error: unknown): string {
  let text = "error";
  let at = error as { code?: unknown; name?: unknown; cause?: unknown; errors?: unknown[] } | undefined;
  for (let depth = 0; typeof at === "object" && at !== null && depth < 5; depth++) {
    const { code, name } = at;
    if (typeof code === "string") text = code;
    else if (text === "error" && (name === "TimeoutError" || name === "AbortError")) text = String(name);
    at = (at.cause ?? at.errors?.[0]) as typeof at;
  }
  return text;
}

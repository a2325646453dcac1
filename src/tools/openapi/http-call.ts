import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { shortened } from "../../core/base/whole-characters";
import type { ToolSpec } from "../../core/calls/tool";
import { retryAfterMs } from "../../node/retry-after";
import { ToolFailure, ToolRetry, unknownOutcomeText } from "../errors";
import { errorText } from "../invoke";
import { reachedNobody } from "../network";
import type { HttpRequest } from "./request";

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

export interface HttpCall {
  /** `GET /orders/{id}` */
  what: string;
  effect: ToolSpec["effect"];
  signal: AbortSignal;
  timeout_ms: number;
}

/**
 * Sends a request and gives what was answered.
 *
 * @throws ToolRetry for what reached nobody, ToolFailure: `unknown_outcome` where something may have been done
 */
export async function sendRequest(request: HttpRequest, call: HttpCall): Promise<Json> {
  const limit = AbortSignal.timeout(call.timeout_ms);
  try {
    const response = await follow(request, call.what, AbortSignal.any([call.signal, limit]));
    return await readResponse(response, call.what);
  } catch (error) {
    if (error instanceof ToolFailure || error instanceof ToolRetry || call.signal.aborted) throw error;
    const problem = limit.aborted ? `no answer within ${call.timeout_ms} ms` : errorText(error);
    if (reachedNobody(error)) throw new ToolRetry(`${call.what}: ${problem}`);
    if (call.effect !== "read")
      throw new ToolFailure(unknownOutcomeText(`${call.what}: ${problem}`), { code: "unknown_outcome" });
    if (limit.aborted) throw new ToolFailure(`${call.what}: ${problem}`, { code: "timeout" });
    throw new ToolRetry(`${call.what}: ${problem}`);
  }
}

/** Redirects inside the service are followed. Another host would be given the credentials of this one. */
async function follow(request: HttpRequest, what: string, signal: AbortSignal): Promise<Response> {
  let { method, url, body } = request;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, {
      method,
      headers: request.headers,
      ...defined({ body }),
      redirect: "manual",
      signal,
    });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return response;
    await response.body?.cancel();
    if (!URL.canParse(location, url.href))
      throw new ToolFailure(`${what}: it redirects to nowhere`, { code: "http_error" });
    const target = new URL(location, url);
    const refused = refusalOf(response.status, method, target, url, redirects);
    if (refused !== undefined)
      throw new ToolFailure(`${what}: ${refused}`, { code: "http_error", status: response.status });
    if (response.status === 303 && method !== "HEAD") [method, body] = ["GET", undefined];
    if (body === undefined) request.headers.delete("content-type");
    url = target;
  }
}

function refusalOf(status: number, method: string, target: URL, url: URL, redirects: number): string | undefined {
  if (redirects === MAX_REDIRECTS) return `it redirects more than ${MAX_REDIRECTS} times`;
  if (target.origin !== url.origin) return `it redirects to ${target.origin}, which is not followed`;
  // Clients disagree on whether these change the method: neither is what was asked for.
  if (status <= 302 && method !== "GET" && method !== "HEAD") return `it redirects a ${method} with ${status}`;
  return undefined;
}

/** JSON with blanks is longer than its value. */
const MAX_BYTES = 2 * MAX_PAYLOAD_BYTES;
const MAX_ERROR_CHARS = 500;
const BUSY = [429, 503];

/**
 * An answer as the calling program gets it: JSON as data, text as text, nothing as nil, other content by type and size.
 *
 * @param what `GET /orders/{id}`
 * @throws ToolRetry where the service names a time for the next attempt, ToolFailure `http_error` for any other answer
 *   that is no success
 */
async function readResponse(response: Response, what: string): Promise<Json> {
  const bytes = await content(response);
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) throw refusal(response, bytes, what);
  if (bytes.length === 0) return null;
  if (/[/+]json\b/i.test(type)) return parsed(bytes, what);
  if (/^text\/|[/+]xml\b|javascript|x-www-form-urlencoded/i.test(type) || type === "") return bytes.toString("utf8");
  return { type: "binary", mimeType: type.replace(/;.*$/, "").trim(), bytes: bytes.length };
}

async function content(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new ToolFailure(
        `the answer is larger than ${MAX_BYTES} bytes. Ask for less of it, with a filter or page by page.`,
        { code: "result_too_large" },
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusal(response: Response, bytes: Buffer, what: string): Error {
  const { status, statusText } = response;
  const text = bytes.toString("utf8").replace(/\s+/g, " ").trim();
  const short = shortened(text, MAX_ERROR_CHARS);
  const message = `${what}: ${`${status} ${statusText}`.trim()}${short === "" ? "" : `: ${short}`}`;
  if (BUSY.includes(status)) {
    const after_ms = retryAfterMs(Object.fromEntries(response.headers), Date.now());
    if (after_ms !== undefined) return new ToolRetry(message, { after_ms });
  }
  return new ToolFailure(message, { code: "http_error", status });
}

function parsed(bytes: Buffer, what: string): Json {
  try {
    return JSON.parse(bytes.toString("utf8")) as Json;
  } catch {
    throw new ToolFailure(`${what}: the answer is marked as JSON and is not`, { code: "invalid_result" });
  }
}

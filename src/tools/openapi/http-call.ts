import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import type { ToolSpec } from "../../core/calls/tool";
import { ToolFailure, ToolRetry, unknownOutcomeText } from "../errors";
import { errorText } from "../invoke";
import { reachedNobody } from "../network";
import type { HttpRequest } from "./request";
import { readResponse } from "./response";

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

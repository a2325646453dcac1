import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { retryAfterMs } from "../../node/retry-after";
import { ToolFailure, ToolRetry } from "../errors";

/** JSON with blanks is longer than its value. */
const MAX_BYTES = 2 * MAX_PAYLOAD_BYTES;
const MAX_ERROR_CHARS = 500;
const BUSY = [429, 503];

/**
 * What an answer means to the program that asked: JSON as data, text as text, nothing as nil, other content by type and
 * size.
 *
 * @param what `GET /orders/{id}`
 * @throws ToolRetry where the service says when to come again, ToolFailure `http_error` for any other answer that is no success
 */
export async function readResponse(response: Response, what: string): Promise<Json> {
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
  const said = bytes.toString("utf8").replace(/\s+/g, " ").trim();
  const short = said.length > MAX_ERROR_CHARS ? `${said.slice(0, MAX_ERROR_CHARS)}...` : said;
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
    throw new ToolFailure(`${what}: the answer says that it is JSON and is not`, { code: "invalid_result" });
  }
}

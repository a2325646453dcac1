/** Limits of both eras over HTTP, and how a request is refused (mcp reference, section 8). */

/** A larger body is refused. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** A stream has a sign of life at least this often. */
export const KEEP_ALIVE_MS = 15_000;

/** A refusal as an error of JSON-RPC. */
export const refusedJson = (
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): Response => Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });

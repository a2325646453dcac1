import { setTimeout as pause } from "node:timers/promises";
import { type AuthInfo, createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { createNavigatorServer, type ServerContext } from "../../server";
import { KEEP_ALIVE_MS, MAX_BODY_BYTES, refusedJson } from "./limits";

/**
 * Requests of the era since 2026-07-28: each stands for itself, so every server process answers every one of them. The SDK checks
 * the headers that repeat what is in the body; those of the Tasks extension it does not know.
 */
export class SingleRequests {
  private readonly handler: McpHttpHandler;
  /** The calls that are being answered, and not the streams that only listen. */
  private readonly calls = new Set<Promise<void>>();

  constructor(serverContext: ServerContext) {
    this.handler = createMcpHandler(() => createNavigatorServer(serverContext, "2026-07-28"), {
      legacy: "reject",
      keepAliveMs: KEEP_ALIVE_MS,
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: (error) => serverContext.log.info("mcp_protocol_error", { error: error.message }),
    });
  }

  /** Answers a request. @param ended resolves when the answer has been sent */
  fetch(
    request: Request,
    given: { parsedBody: unknown; authInfo: AuthInfo },
    ended: Promise<void>,
  ): Promise<Response> | Response {
    const { authInfo, parsedBody } = given;
    const refused = wrongTaskHeader(request.headers, parsedBody);
    if (refused !== undefined) return refused;
    if ((parsedBody as { method?: unknown } | undefined)?.method !== "subscriptions/listen") {
      this.calls.add(ended);
      void ended.then(() => this.calls.delete(ended));
    }
    return this.handler.fetch(request, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) });
  }

  /** Tells every client that listens that the resources are others. */
  announce(): void {
    this.handler.notify.resourcesChanged();
  }

  /** Answers calls in progress, then ends all streams. */
  async close(limitMs: number): Promise<void> {
    await Promise.race([Promise.all(this.calls), pause(limitMs, undefined, { ref: false })]);
    await this.handler.close();
  }
}

const TASK_METHODS = ["tasks/get", "tasks/update", "tasks/cancel"];
const HEADER_MISMATCH = -32020;

/** Refuses a request for a task whose header names another task; undefined: there is nothing to refuse. */
function wrongTaskHeader(headers: Headers, body: unknown): Response | undefined {
  const { method, params, id } = (body ?? {}) as {
    method?: unknown;
    params?: { taskId?: unknown };
    id?: string | number;
  };
  if (typeof method !== "string" || !TASK_METHODS.includes(method) || typeof params?.taskId !== "string")
    return undefined;
  const named = headers.get("mcp-name")?.trim();
  if (named === params.taskId) return undefined;
  const what = named === undefined ? "the header Mcp-Name is missing" : `the header Mcp-Name is "${named}"`;
  return refusedJson(400, HEADER_MISMATCH, `Bad Request: params.taskId is "${params.taskId}", and ${what}.`, id);
}

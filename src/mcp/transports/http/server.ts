import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, createMcpHandler, isLegacyRequest, type McpHttpHandler } from "@modelcontextprotocol/server";
import { asUnavailable, authenticate, type CredentialSettings } from "../../../node/http/authenticate";
import { type GuardSettings, refuse } from "../../../node/http/guard";
import { NOBODY_KNOWN } from "../../context/identity";
import { refusedDepth } from "../../message-depth";
import { createNavigatorServer, type ServerContext } from "../../server";
import { KEEP_ALIVE_MS, MAX_BODY_BYTES, refusedJson } from "./limits";
import { Sessions } from "./sessions";

const PATH = "/mcp";
const LAST_ANSWERS_MS = 5_000;
const LAST_BYTES_MS = 1_000;
/**
 * Clients send requests seconds or minutes apart on the same connection. Node's default of 5 s would close it just as
 * some send their next call, which would then fail.
 */
const KEEP_CONNECTION_MS = 600_000;

export interface HttpServer {
  /** With the chosen port, if none was given. */
  url: string;
  /** Accepts no new calls; calls in progress are answered within some seconds. */
  close(): Promise<void>;
}

export interface HttpOptions extends GuardSettings, CredentialSettings {
  host: string;
  /** 0: any free port. */
  port: number;
}

/** Serves any number of clients over MCP's Streamable HTTP, at the path /mcp (mcp reference, section 8). */
export async function serveHttp(serverContext: ServerContext, options: HttpOptions): Promise<HttpServer> {
  const callers = new Callers();
  const context: ServerContext = {
    ...serverContext,
    via: "http",
    announce: () => {
      sessions.announce();
      single.announce();
    },
  };
  const sessions = new Sessions(context);
  const single = new SingleRequests({ ...context, callers: (id) => callers.of(id) });
  const open = new Set<ServerResponse>();
  const server = createServer({ keepAliveTimeout: KEEP_CONNECTION_MS }, (request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    answer(request, response, { sessions, single, options, serverContext }).catch((error: Error) => {
      serverContext.log.error("mcp_request_failed", { error: error.stack ?? error.message });
      if (!response.headersSent) refused(response, 500, -32603, "An internal error occurred in Navigator.");
      else response.destroy();
    });
  });
  await listening(server, options);
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}${PATH}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([sessions.close(LAST_ANSWERS_MS), single.close(LAST_ANSWERS_MS)]);
      // The server waits for open responses before it closes: otherwise they would be lost with their connections.
      const gone = Promise.all([...open].map((response) => once(response, "close")));
      await Promise.race([gone, pause(LAST_BYTES_MS, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
}

interface Parts {
  sessions: Sessions;
  single: SingleRequests;
  options: HttpOptions;
  serverContext: ServerContext;
}

async function answer(
  request: IncomingMessage & { auth?: AuthInfo },
  response: ServerResponse,
  parts: Parts,
): Promise<void> {
  const { options, serverContext } = parts;
  const no = refuse(request.headers, options);
  if (no) return refused(response, no.status, -32000, no.message);
  // The answer to a browser's preflight request, which has no token: the real request is checked below like any other.
  if (request.method === "OPTIONS") return void response.writeHead(204, corsHeaders(request.headers.origin)).end();
  const { people } = serverContext.identity ?? NOBODY_KNOWN;
  const who = await authenticate(request.headers.authorization, options, people).catch((error: Error) => {
    serverContext.log.error("mcp_token_not_checked", { error: error.message });
    return asUnavailable(error);
  });
  if ("status" in who) return refused(response, who.status, -32000, who.message);
  const { caller } = who;
  // A session lists and reads before it does anything else.
  if (caller.scopes?.includes("read") === false)
    return refused(response, 403, -32000, "The token lacks the scope read, which every session of MCP needs.");
  // Tools read it as `extra.authInfo`. The token itself goes no further.
  request.auth = { token: "", clientId: caller.id, scopes: [], extra: { caller } };
  if (new URL(request.url ?? "/", "http://localhost").pathname !== PATH)
    return refused(response, 404, -32000, `The only path here is ${PATH}.`);
  for (const [name, value] of Object.entries(corsHeaders(request.headers.origin))) response.setHeader(name, value);
  const ended = once(response, "close").then(() => {});
  const handle = toNodeHandler(
    { fetch: (asked, { authInfo } = {}) => route(asked, authInfo as AuthInfo, ended, parts) },
    {
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: (error) => serverContext.log.error("mcp_request_failed", { error: error.stack ?? error.message }),
    },
  );
  await handle(request, joinWrites(response));
}

/** Gives a request to the server of its era. */
async function route(asked: Request, authInfo: AuthInfo, ended: Promise<void>, { sessions, single }: Parts) {
  const text = asked.method === "POST" ? await asked.text() : "";
  const parsedBody = parsedJson(text);
  const tooDeep = parsedBody === undefined ? undefined : refusedDepth(parsedBody);
  if (tooDeep !== undefined) return Response.json(tooDeep);
  const request = parsedBody === undefined ? unreadAgain(asked, text) : asked;
  const server = (await isLegacyRequest(request, parsedBody)) ? sessions : single;
  return server.fetch(request, { parsedBody, authInfo }, ended);
}

/** The SDK reads a body that was not parsed. To copy every request for that would cost each call a separate stream. */
function unreadAgain(asked: Request, text: string): Request {
  if (!asked.bodyUsed) return asked;
  const { url, method, headers, signal } = asked;
  return new Request(url, { method, headers, signal, body: text });
}

/** undefined: the body is no JSON, and the SDK refuses it. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For pages with an allowed origin. */
function corsHeaders(origin: string | undefined): { [name: string]: string } {
  if (origin === undefined) return {};
  return {
    "Access-Control-Allow-Origin": origin,
    Vary: "Origin",
    "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
    "Access-Control-Allow-Headers":
      "Content-Type, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, Authorization",
    "Access-Control-Expose-Headers": "Mcp-Session-Id",
    "Access-Control-Max-Age": "600",
  };
}

function refused(response: ServerResponse, status: number, code: number, message: string): void {
  const headers = { "Content-Type": "application/json", ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}) };
  // The unread part of a body must not be parsed as the next request.
  response.writeHead(status, { ...headers, Connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}

/** Callers that this process remembers. */
const MAX_CALLERS = 1_000;

/**
 * What stays of a caller from one request to the next, in this process: the tickets of cards. The one who was not seen for longest is
 * forgotten first, and gets new cards.
 */
class Callers {
  private readonly byId = new Map<string, object>();

  of(id: string): object {
    const known = this.byId.get(id) ?? {};
    this.byId.delete(id);
    this.byId.set(id, known);
    const [oldest] = this.byId.keys();
    if (this.byId.size > MAX_CALLERS && oldest !== undefined) this.byId.delete(oldest);
    return known;
  }
}

/**
 * Makes a stream send the writes of one moment with one system call. The answer of a tool call often has a line of the log before it, and
 * each separate write wakes the client. Nothing waits for longer than the present round of the event loop.
 *
 * @returns the stream
 */
export function joinWrites<Stream extends Pick<Writable, "write" | "cork" | "uncork" | "writableCorked">>(
  stream: Stream,
): Stream {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (...given: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => {
        // Its end has sent everything.
        if (stream.writableCorked > 0) stream.uncork();
      });
    }
    return write(...given);
  };
  return stream;
}

/**
 * Requests of the era since 2026-07-28: each stands for itself, so every server process answers every one of them. The SDK checks
 * the headers that repeat fields of the body; those of the Tasks extension it does not know.
 */
class SingleRequests {
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

  /** Notifies every client that listens that the resources changed. */
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

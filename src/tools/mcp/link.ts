import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  ListToolsResultSchema,
  McpError,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type Tool,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { defined } from "../../core/base/defined";
import { delay } from "../../node/delay";
import { MAX_MESSAGE_BYTES, TOO_LARGE } from "./answer-limit";
import { fetchWithToken, type TokenSource } from "./bearer";
import { fetchWithOwnHeaders } from "./own-headers";
import { NotSentError, type StdioServer, StdioTransport } from "./stdio-transport";

/** What a server is reached by, every reference in it replaced. */
export type Address = StdioServer | HttpAddress;

/** A running server, and who has tokens for it. */
export interface HttpAddress {
  url: string;
  headers: { [name: string]: string };
  tokens?: TokenSource | undefined;
}

/** How a running server is asked. */
function fetchOf({ url, headers, tokens }: HttpAddress): typeof fetch {
  const ask = paced(fetchWithOwnHeaders(url, headers));
  return tokens === undefined ? ask : fetchWithToken(url, ask, tokens);
}

/** Between the beginnings of two streams. */
const STREAM_PAUSE_MS = 100;

/** A server can end each stream at once, and tell the SDK to open the next one without delay. */
function paced(ask: typeof fetch): typeof fetch {
  let next = 0;
  return async (to, init) => {
    if (init?.method === "GET") {
      const pause_ms = Math.max(0, next - Date.now());
      next = Date.now() + pause_ms + STREAM_PAUSE_MS;
      await delay(pause_ms, init.signal ?? NEVER);
    }
    return ask(to, init);
  };
}

const NEVER = new AbortController().signal;

/** A page of what a server has to read. Templates come with the first page. */
export interface ResourcePage {
  resources: Resource[];
  templates: ResourceTemplate[];
  next_cursor?: string | undefined;
}

export interface McpCallOptions {
  signal: AbortSignal;
  timeout_ms: number;
  idempotencyKey: string;
  onProgress(): void;
}

export type McpReadOptions = Pick<McpCallOptions, "signal" | "timeout_ms">;

function withoutMethod(error: unknown): { resourceTemplates: ResourceTemplate[] } {
  if (error instanceof McpError && error.code === ErrorCode.MethodNotFound) return { resourceTemplates: [] };
  throw error;
}

/** A first start may have to fetch the server's package. */
const CONNECT_MS = 60_000;
/** For all pages of a list. */
const LIST_MS = 60_000;
const ALIVE_MS = 10_000;
const MAX_PAGES = 1_000;

/** One connection to one server, from start to end. It is never reopened: a new one is made. */
export class Link {
  readonly since = Date.now();
  closed = false;
  /** Whether it ever was one. */
  opened = false;
  private checking = false;
  /** Why we ended it. */
  private problem = "";
  private readonly client = new Client({ name: "navigator", version: "1" });
  private readonly transport: StdioTransport | StreamableHTTPClientTransport;

  /** @param events.onError what was no message, and trouble that may pass: for logs */
  constructor(
    address: Address,
    events: { onClose(): void; onToolsChanged(): void; onError(error: Error): void },
    private readonly connect_ms = CONNECT_MS,
  ) {
    this.transport =
      "url" in address
        ? new StreamableHTTPClientTransport(new URL(address.url), { fetch: fetchOf(address) })
        : new StdioTransport(address);
    this.client.onclose = () => {
      this.closed = true;
      events.onClose();
    };
    this.client.onerror = (error) => {
      events.onError(error);
      if (this.transport instanceof StdioTransport) return;
      if (!error.message.includes(TOO_LARGE)) return void this.checkAlive();
      // Nobody else tells the calls that wait for that stream.
      this.problem = error.message.slice(error.message.indexOf(TOO_LARGE));
      void this.client.close();
    };
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onToolsChanged());
  }

  async open(): Promise<void> {
    const { connect_ms: timeout } = this;
    let isLate = false;
    // The SDK's own limit is for the first answer only.
    const limit = setTimeout(() => {
      isLate = true;
      void this.client.close();
    }, timeout);
    try {
      // The SDK's class says `string | undefined` where its interface says optional.
      await this.client.connect(this.transport as never, { timeout });
      this.opened = true;
    } catch (error) {
      await this.close();
      throw isLate ? new Error(`it is not ready after ${timeout} ms`) : error;
    } finally {
      clearTimeout(limit);
    }
  }

  /** All pages of the server's list. */
  async tools(): Promise<Tool[]> {
    if (this.client.getServerCapabilities()?.tools === undefined) return [];
    const tools: Tool[] = [];
    const until = Date.now() + LIST_MS;
    const seen = new Set<string>();
    let cursor: string | undefined;
    let size = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = defined({ cursor });
      const list = await this.client.request({ method: "tools/list", params }, ListToolsResultSchema, {
        timeout: Math.max(1, until - Date.now()),
      });
      size += JSON.stringify(list.tools).length;
      if (size > MAX_MESSAGE_BYTES) throw new Error(`its list of tools is larger than ${MAX_MESSAGE_BYTES} bytes`);
      for (const tool of list.tools) tools.push(tool);
      if (!list.nextCursor) return tools;
      cursor = list.nextCursor;
      if (seen.has(cursor)) throw new Error("its list of tools has no end: it names the same page again");
      seen.add(cursor);
    }
    throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
  }

  call(name: string, args: { [name: string]: unknown }, options: McpCallOptions): Promise<CallToolResult> {
    if (this.closed) return Promise.reject(new NotSentError("the connection is closed"));
    const params = {
      name,
      arguments: args,
      _meta: { "navigator/idempotency-key": options.idempotencyKey },
    };
    return this.client.request({ method: "tools/call", params }, CallToolResultSchema, {
      signal: options.signal,
      timeout: options.timeout_ms,
      onprogress: () => options.onProgress(),
    });
  }

  /** Whether the server has anything to read. */
  get hasResources(): boolean {
    return this.client.getServerCapabilities()?.resources !== undefined;
  }

  async listResources(cursor: string | undefined, options: McpReadOptions): Promise<ResourcePage> {
    const limits = this.limits(options);
    const { resources, nextCursor } = await this.client.listResources(defined({ cursor }), limits);
    const first = cursor === undefined;
    // A server that has no templates may not know the word.
    const templates = first ? await this.client.listResourceTemplates({}, limits).catch(withoutMethod) : undefined;
    return { resources, templates: templates?.resourceTemplates ?? [], next_cursor: nextCursor };
  }

  readResource(uri: string, options: McpReadOptions): Promise<ReadResourceResult> {
    return this.client.readResource({ uri }, this.limits(options));
  }

  private limits({ signal, timeout_ms }: McpReadOptions) {
    if (this.closed) throw new NotSentError("the connection is closed");
    return { signal, timeout: timeout_ms };
  }

  /** How the process ended and its last output. Of a server that is not our process: why we ended the connection, or "". */
  get lastWords(): string {
    if (!(this.transport instanceof StdioTransport)) return this.problem;
    const { ended, said } = this.transport;
    const lines = said.lines === "" ? "it said nothing on stderr" : `its last output:\n${said.lines}`;
    return `${ended === undefined ? "" : `it ended with ${ended}; `}${lines}`;
  }

  /** What the server calls itself. */
  get version(): string {
    const server = this.client.getServerVersion();
    return server === undefined ? "" : `${server.name} ${server.version}`;
  }

  async close(): Promise<void> {
    const { transport, closed } = this;
    this.closed = true;
    if (transport instanceof StreamableHTTPClientTransport && !closed) {
      const limit = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
      // Its session is of no use any more; that it cannot be told so is no matter.
      await Promise.race([transport.terminateSession().catch(() => {}), limit]);
    }
    await this.client.close();
  }

  /** A stream that broke may be taken up again, if the server is still there: else its calls would wait in vain. */
  private async checkAlive(): Promise<void> {
    if (!this.opened || this.checking || this.closed) return;
    this.checking = true;
    try {
      await this.client.ping({ timeout: ALIVE_MS });
    } catch {
      await this.client.close();
    } finally {
      this.checking = false;
    }
  }
}

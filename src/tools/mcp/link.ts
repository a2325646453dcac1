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
  const ask = fetchWithOwnHeaders(url, headers);
  return tokens === undefined ? ask : fetchWithToken(url, ask, tokens);
}

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
const LIST_MS = 30_000;
const ALIVE_MS = 10_000;
const MAX_PAGES = 1_000;

/** One connection to one server, from start to end. It is never reopened: a new one is made. */
export class Link {
  readonly since = Date.now();
  closed = false;
  /** Whether it ever was one. */
  opened = false;
  private checking = false;
  private readonly client = new Client({ name: "navigator", version: "1" });
  private readonly transport: StdioTransport | StreamableHTTPClientTransport;

  /** @param events.onError what was no message, and trouble that may pass: for logs */
  constructor(address: Address, events: { onClose(): void; onToolsChanged(): void; onError(error: Error): void }) {
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
      if (!(this.transport instanceof StdioTransport)) void this.checkAlive();
    };
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onToolsChanged());
  }

  async open(): Promise<void> {
    try {
      // The SDK's class says `string | undefined` where its interface says optional.
      await this.client.connect(this.transport as never, { timeout: CONNECT_MS });
      this.opened = true;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** All pages of the server's list. */
  async tools(): Promise<Tool[]> {
    if (this.client.getServerCapabilities()?.tools === undefined) return [];
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = defined({ cursor });
      const list = await this.client.request({ method: "tools/list", params }, ListToolsResultSchema, {
        timeout: LIST_MS,
      });
      tools.push(...list.tools);
      if (!list.nextCursor) return tools;
      cursor = list.nextCursor;
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

  /** How the process ended and its last output; "" for a server that is not our process. */
  get lastWords(): string {
    if (!(this.transport instanceof StdioTransport)) return "";
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

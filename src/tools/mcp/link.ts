import { setTimeout as pauseFor } from "node:timers/promises";
import {
  type CallToolResult,
  Client,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import { defined } from "../../core/base/defined";
import { delay } from "../../node/delay";
import { MAX_MESSAGE_BYTES, TOO_LARGE } from "./answer-limit";
import { fetchWithToken, type TokenSource } from "./bearer";
import { CallTasks, TAKES_TASKS } from "./call-tasks";
import { fetchWithOwnHeaders } from "./own-headers";
import { NotSentError, type StdioServer, StdioTransport } from "./stdio-transport";

/** How this client describes itself. */
const US = { name: "navigator", version: "1" };

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

/** A server can end each stream at once, and make the SDK open the next one without delay. */
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
  templates: ResourceTemplateType[];
  next_cursor?: string | undefined;
}

export interface McpCallOptions {
  signal: AbortSignal;
  timeout_ms: number;
  idempotencyKey: string;
  onProgress(): void;
}

export type McpReadOptions = Pick<McpCallOptions, "signal" | "timeout_ms">;

/** A server that ended when it was asked for its protocol: those of before 2026-07-28 may do so. */
export class NoEra extends Error {}

function withoutMethod(error: unknown): { resourceTemplates: ResourceTemplateType[] } {
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound)
    return { resourceTemplates: [] };
  throw error;
}

/** A first start may have to fetch the server's package. */
const CONNECT_MS = 60_000;
/** For all pages of a list. */
const LIST_MS = 60_000;
const ALIVE_MS = 10_000;
const MAX_PAGES = 1_000;

/** A process that has not answered `server/discover` by then speaks an older protocol. */
const DISCOVER_MS = 20_000;
/** Between two subscriptions to the changes of a server. */
const [LISTEN_PAUSE_MS, LONGEST_LISTEN_PAUSE_MS] = [1_000, 30_000];

/** One connection to one server, from start to end. It is never reopened: a new one is made. */
export class Link {
  readonly since = Date.now();
  closed = false;
  /** Whether it ever was one. */
  opened = false;
  private checking = false;
  /** Why we ended it. */
  private problem = "";
  private readonly client: Client;
  /** undefined: the server answers calls with results alone. */
  private tasks: CallTasks | undefined;
  private readonly transport: StdioTransport | StreamableHTTPClientTransport;

  /** The tools as they were listed last: some arguments are repeated in headers. */
  private known = new Map<string, Tool>();

  /**
   * @param events.onError what was no message, and trouble that may pass: for logs
   * @param older speak protocol 2025-11-25 or older without asking what the server speaks
   */
  constructor(
    address: Address,
    private readonly events: { onClose(): void; onToolsChanged(): void; onError(error: Error): void },
    private readonly connect_ms = CONNECT_MS,
    private readonly older = false,
  ) {
    this.client = new Client(US, {
      capabilities: TAKES_TASKS,
      versionNegotiation: {
        mode: older ? "legacy" : "auto",
        probe: { timeoutMs: "url" in address ? connect_ms : Math.min(DISCOVER_MS, connect_ms) },
      },
    });
    this.transport =
      "url" in address
        ? new StreamableHTTPClientTransport(new URL(address.url), { fetch: fetchOf(address) })
        : new StdioTransport(address);
    this.client.onclose = () => {
      this.closed = true;
      this.tasks?.close();
      events.onClose();
    };
    this.client.onerror = (error) => {
      events.onError(error);
      if (this.transport instanceof StdioTransport) return;
      if (!error.message.includes(TOO_LARGE)) return void this.checkAlive();
      // Nothing else reports this to the calls that wait for that stream.
      this.problem = error.message.slice(error.message.indexOf(TOO_LARGE));
      void this.client.close();
    };
    this.client.setNotificationHandler("notifications/tools/list_changed", () => events.onToolsChanged());
  }

  async open(): Promise<void> {
    const { connect_ms: timeout } = this;
    let isLate = false;
    // The SDK's own limit is for the first answer only.
    const limit = setTimeout(() => {
      isLate = true;
      // Until the protocol is known, the client does not have its transport.
      void this.transport.close();
    }, timeout);
    try {
      await this.client.connect(this.transport, { timeout });
      this.opened = true;
      if (this.isNewer) this.tasks = new CallTasks(this.transport, { version: this.protocol, client: US });
    } catch (error) {
      await this.close();
      throw isLate ? new Error(`it is not ready after ${timeout} ms`) : this.refusal(error);
    } finally {
      clearTimeout(limit);
    }
    void this.listen();
  }

  /** The SDK's error for a server with which it found no protocol, or why it could not ask. */
  private refusal(error: unknown): unknown {
    if (!(error instanceof SdkError) || error.code !== SdkErrorCode.EraNegotiationFailed) return error;
    if (error.cause !== undefined) return error.cause;
    return this.older ? error : new NoEra(error.message);
  }

  /** Protocol 2026-07-28 reports changes only to clients that listen for them. */
  private async listen(): Promise<void> {
    if (!this.isNewer || this.client.getServerCapabilities()?.tools?.listChanged !== true) return;
    for (let pause_ms = LISTEN_PAUSE_MS; !this.closed; pause_ms = Math.min(2 * pause_ms, LONGEST_LISTEN_PAUSE_MS)) {
      try {
        const since = Date.now();
        const subscription = await this.client.listen({ toolsListChanged: true });
        const why = await subscription.closed;
        if (why === "local" || this.closed) return;
        if (Date.now() - since > LONGEST_LISTEN_PAUSE_MS) pause_ms = LISTEN_PAUSE_MS;
      } catch (error) {
        this.events.onError(error as Error);
        // It has no such method after all.
        if (error instanceof ProtocolError) return;
      }
      await pauseFor(pause_ms, undefined, { ref: false });
      // No client received the changes of the meantime.
      if (!this.closed) this.events.onToolsChanged();
    }
  }

  /** Whether the server speaks protocol 2026-07-28: it has no sessions, and does not know `ping`. */
  private get isNewer(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  /** The version of the protocol; "" before it is known. */
  get protocol(): string {
    return this.client.getNegotiatedProtocolVersion() ?? "";
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
      const timeout = Math.max(1, until - Date.now());
      const list = await this.client.request({ method: "tools/list", params }, { timeout });
      size += JSON.stringify(list.tools).length;
      if (size > MAX_MESSAGE_BYTES) throw new Error(`its list of tools is larger than ${MAX_MESSAGE_BYTES} bytes`);
      for (const tool of list.tools) tools.push(tool);
      if (!list.nextCursor) {
        this.known = new Map(tools.map((tool) => [tool.name, tool]));
        return tools;
      }
      cursor = list.nextCursor;
      if (seen.has(cursor)) throw new Error("its list of tools has no end: it names the same page again");
      seen.add(cursor);
    }
    throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
  }

  async call(name: string, args: { [name: string]: unknown }, options: McpCallOptions): Promise<CallToolResult> {
    if (this.closed) throw new NotSentError("the connection is closed");
    const until = Date.now() + options.timeout_ms;
    const params = {
      name,
      arguments: args,
      _meta: { "navigator/idempotency-key": options.idempotencyKey },
    };
    const result = await this.client.callTool(params, {
      // Results are checked where a check has a time limit.
      toolDefinition: { name, inputSchema: this.known.get(name)?.inputSchema ?? { type: "object" } },
      signal: options.signal,
      timeout: options.timeout_ms,
      // Of all rounds together.
      maxTotalTimeout: options.timeout_ms,
      onprogress: () => options.onProgress(),
    });
    return this.tasks?.settled(result, { ...options, until }) ?? result;
  }

  /** Whether the server has anything to read. */
  get hasResources(): boolean {
    return this.client.getServerCapabilities()?.resources !== undefined;
  }

  async listResources(cursor: string | undefined, options: McpReadOptions): Promise<ResourcePage> {
    const limits = this.limits(options);
    const ask = { method: "resources/list", params: defined({ cursor }) } as const;
    const { resources, nextCursor } = await this.client.request(ask, limits);
    const first = cursor === undefined;
    // A server that has no templates may not know the word.
    const templates = first
      ? await this.client.request({ method: "resources/templates/list", params: {} }, limits).catch(withoutMethod)
      : undefined;
    return { resources, templates: templates?.resourceTemplates ?? [], next_cursor: nextCursor };
  }

  readResource(uri: string, options: McpReadOptions): Promise<ReadResourceResult> {
    return this.client.request({ method: "resources/read", params: { uri } }, this.limits(options));
  }

  private limits({ signal, timeout_ms }: McpReadOptions) {
    if (this.closed) throw new NotSentError("the connection is closed");
    return { signal, timeout: timeout_ms };
  }

  /** How the process ended and its last output. Of a server that is not our process: why we ended the connection, or "". */
  get lastWords(): string {
    if (!(this.transport instanceof StdioTransport)) return this.problem;
    const { ended, output } = this.transport;
    const lines = output.lines === "" ? "it wrote nothing to stderr" : `its last output:\n${output.lines}`;
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
      // Its session is of no use any more; it does not matter that the server cannot be notified.
      await Promise.race([transport.terminateSession().catch(() => {}), limit]);
    }
    await this.client.close();
    // A client without a protocol has no transport to close.
    if (!this.opened) await transport.close();
  }

  /** A stream that broke may be taken up again, if the server is still there: else its calls would wait in vain. */
  private async checkAlive(): Promise<void> {
    if (!this.opened || this.checking || this.closed) return;
    this.checking = true;
    try {
      const limits = { timeout: ALIVE_MS };
      await (this.isNewer ? this.client.discover(limits) : this.client.ping(limits));
    } catch {
      await this.client.close();
    } finally {
      this.checking = false;
    }
  }
}

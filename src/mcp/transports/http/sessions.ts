import { randomUUID } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { countRequests } from "../../in-flight";
import { refuseDeepMessages } from "../../message-depth";
import { createNavigatorServer, type ServerContext } from "../../server";
import { RecentEvents } from "./event-store";

export const MAX_BODY_BYTES = 4 * 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;
const RETRY_MS = 1_000;
/** A client that comes back later starts a new session: its work is in Temporal. */
const IDLE_MS = 3_600_000;
const MAX_SESSIONS = 1_000;

interface Session {
  transport: StreamableHTTPServerTransport;
  server: McpServer;
  /** Id of who began it. Nobody else gets into it, so an answer in a dialog is that of the one who was asked. */
  caller: string;
  answered(limitMs: number): Promise<void>;
  usedAt: number;
  /** Open requests and streams of the client. */
  open: number;
}

/** The sessions of connected clients. They hold no important state. */
export class Sessions {
  private readonly byId = new Map<string, Session>();

  constructor(private readonly serverContext: ServerContext) {}

  /** The transport of a caller's session for one request, until `done`; undefined if there is none (any more). */
  use(id: string, caller: string): { transport: StreamableHTTPServerTransport; done(): void } | undefined {
    const session = this.byId.get(id);
    if (session?.caller !== caller) return undefined;
    session.open += 1;
    session.usedAt = Date.now();
    const done = () => {
      session.open -= 1;
      session.usedAt = Date.now();
    };
    return { transport: session.transport, done };
  }

  /** For a request without a session. Its server is made once the request turns out to start one. */
  begin(caller: string): StreamableHTTPServerTransport {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        const server = createNavigatorServer({ ...this.serverContext, via: "http", announce: () => this.announce() });
        server.server.onerror = (error) => this.serverContext.log.info("mcp_protocol_error", { error: error.message });
        server.server.onclose = () => this.byId.delete(id);
        await server.connect(transport as never);
        this.makeRoom();
        const answered = countRequests(transport as never);
        refuseDeepMessages(transport as never);
        this.byId.set(id, { transport, server, caller, answered, usedAt: Date.now(), open: 0 });
        this.serverContext.log.info("mcp_session_began", { sessions: this.byId.size });
      },
      onsessionclosed: (id) => void this.byId.delete(id),
      eventStore: new RecentEvents(),
      retryInterval: RETRY_MS,
      keepAliveMs: KEEP_ALIVE_MS,
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    return transport;
  }

  /** Answers calls in progress, then ends all sessions. */
  async close(limitMs: number): Promise<void> {
    const all = [...this.byId.values()];
    await Promise.all(all.map(({ answered }) => answered(limitMs)));
    await Promise.all(all.map(({ server }) => server.close()));
  }

  private announce(): void {
    for (const { server } of this.byId.values()) server.sendResourceListChanged();
  }

  /** Ends unused sessions; if there are too many, the least recently used first. */
  private makeRoom(): void {
    const unused = [...this.byId.values()].filter(({ open }) => open === 0).sort((a, b) => a.usedAt - b.usedAt);
    const tooOld = Date.now() - IDLE_MS;
    let left = this.byId.size;
    for (const { server, usedAt } of unused) {
      if (usedAt > tooOld && left < MAX_SESSIONS) return;
      left -= 1;
      void server.close();
    }
  }
}

import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type EventStore,
  type JSONRPCMessage,
  type McpServer,
  WebStandardStreamableHTTPServerTransport as SessionTransport,
} from "@modelcontextprotocol/server";
import { countRequests } from "../../in-flight";
import { createNavigatorServer, type ServerContext } from "../../server";
import { KEEP_ALIVE_MS, MAX_BODY_BYTES, refusedJson } from "./limits";

const RETRY_MS = 1_000;
/** A client that comes back later starts a new session: its work is in Temporal. */
const IDLE_MS = 3_600_000;
const MAX_SESSIONS = 1_000;

interface Session {
  transport: SessionTransport;
  server: McpServer;
  /** Id of who began it. Nobody else gets into it, so an answer in a dialog is that of the one who was asked. */
  caller: string;
  answered(limitMs: number): Promise<void>;
  usedAt: number;
  /** Open requests and streams of the client. */
  open: number;
}

/** The sessions of clients of the era up to 2025-11-25. They have no important state. */
export class Sessions {
  private readonly byId = new Map<string, Session>();

  constructor(private readonly serverContext: ServerContext) {}

  /** Answers a request of a session, or one that begins a session. @param ended resolves when the answer has been sent */
  async fetch(
    request: Request,
    given: { parsedBody: unknown; authInfo: AuthInfo },
    ended: Promise<void>,
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const caller = given.authInfo.clientId;
    if (id === null && request.method === "POST") return this.begin(caller).handleRequest(request, given);
    if (id === null) return refusedJson(400, -32000, "Mcp-Session-Id is missing.");
    const session = this.byId.get(id);
    if (session?.caller !== caller) return refusedJson(404, -32001, "Session not found. Begin a new one.");
    session.open += 1;
    session.usedAt = Date.now();
    void ended.then(() => {
      session.open -= 1;
      session.usedAt = Date.now();
    });
    return session.transport.handleRequest(request, given);
  }

  /** Notifies every client that the resources changed. */
  announce(): void {
    for (const { server } of this.byId.values()) server.sendResourceListChanged();
  }

  /** Answers calls in progress, then ends all sessions. */
  async close(limitMs: number): Promise<void> {
    const all = [...this.byId.values()];
    await Promise.all(all.map(({ answered }) => answered(limitMs)));
    await Promise.all(all.map(({ server }) => server.close()));
  }

  /** For a request without a session. Its server is made once the request turns out to start one. */
  private begin(caller: string): SessionTransport {
    const transport: SessionTransport = new SessionTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        const server = createNavigatorServer(this.serverContext, "2025-11-25");
        server.server.onerror = (error) => this.serverContext.log.info("mcp_protocol_error", { error: error.message });
        server.server.onclose = () => this.byId.delete(id);
        await server.connect(transport);
        this.makeSpace();
        const answered = countRequests(transport);
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

  /** Ends unused sessions; if there are too many, the least recently used first. */
  private makeSpace(): void {
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

/** Messages of one session that a client may request again after its connection broke. */
const MAX_EVENTS = 200;

/** The last messages of all streams of one session, so that a broken stream can be resumed. */
export class RecentEvents implements EventStore {
  /** In the order of sending; ids are `<stream>/<number>`. */
  private readonly events = new Map<string, JSONRPCMessage>();
  private sent = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = `${streamId}/${++this.sent}`;
    this.events.set(id, message);
    const [oldest] = this.events.keys();
    if (this.events.size > MAX_EVENTS && oldest !== undefined) this.events.delete(oldest);
    return id;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.events.has(eventId) ? streamOf(eventId) : undefined;
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = streamOf(last);
    let reached = false;
    for (const [id, message] of this.events) {
      // The first event of a stream is empty: it only gives the client an id to resume from.
      if (reached && streamOf(id) === stream && "jsonrpc" in message) await send(id, message);
      reached ||= id === last;
    }
    return stream;
  }
}

const streamOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf("/"));

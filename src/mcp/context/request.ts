import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
  type McpServer,
  type ServerContext as SdkContext,
} from "@modelcontextprotocol/server";
import { defined } from "../../core/base/defined";

/** The two generations of the protocol: with sessions, and with requests that need none. */
export type ProtocolEra = "2025-11-25" | "2026-07-28";

/** The sender of a request, as the request declares it. */
export interface RequestClient {
  name: string | undefined;
  capabilities: ClientCapabilities;
}

/** One request, the same for tools in both eras of the protocol. */
export interface Extra {
  era: ProtocolEra;
  requestId: string | number;
  /** Of a session over HTTP, or of a request that has none; absent: the client has this process for itself. */
  sessionId?: string;
  client: RequestClient;
  signal: AbortSignal;
  _meta?: { progressToken?: string | number; traceparent?: unknown; tracestate?: unknown };
  authInfo?: AuthInfo;
  /** Of the request over HTTP. */
  header(name: string): string | undefined;
  sendNotification(notification: { method: string; params?: { [name: string]: unknown } }): Promise<void>;
  log(level: LoggingLevel, data: unknown, logger: string): Promise<void>;
  /** Ends the stream of a session's request: the client comes back for the answer. */
  closeStream?(): void;
}

/** A request as the SDK gives it. Since 2026-07-28 each request names its sender; before, a session began with it. */
export function extraOf(ctx: SdkContext, server: McpServer, era: ProtocolEra): Extra {
  const { mcpReq, http } = ctx;
  // Two clients without sessions may give the same id to two requests.
  const sessionId = ctx.sessionId ?? (http === undefined ? undefined : randomUUID());
  return {
    era,
    requestId: mcpReq.id,
    client: era === "2026-07-28" ? clientOf(mcpReq.envelope) : clientOfSession(server),
    signal: mcpReq.signal,
    ...defined({ sessionId, _meta: mcpReq._meta, authInfo: http?.authInfo, closeStream: http?.closeSSE }),
    header: (name) => http?.req?.headers.get(name) ?? undefined,
    sendNotification: (notification) => mcpReq.notify(notification),
    log: (level, data, logger) => mcpReq.log(level, data, logger),
  };
}

function clientOf(envelope: SdkContext["mcpReq"]["envelope"] = {}): RequestClient {
  // The SDK has checked it, and its type has no fields.
  const declared = envelope as {
    [CLIENT_INFO_META_KEY]?: Implementation;
    [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  };
  return { name: declared[CLIENT_INFO_META_KEY]?.name, capabilities: declared[CLIENT_CAPABILITIES_META_KEY] ?? {} };
}

const clientOfSession = ({ server }: McpServer): RequestClient => ({
  name: server.getClientVersion()?.name,
  capabilities: server.getClientCapabilities() ?? {},
});

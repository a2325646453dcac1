import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { errorText } from "../invoke";
import { reachedNobody } from "../network";
import { NotSentError } from "./stdio-transport";

/**
 * What happened to a call without a result. `not sent`, `session lost`, `busy`: the server did nothing; `lost`,
 * `timeout`: unknown; `answered`: the server's own refusal.
 */
export class Trouble extends Error {
  constructor(
    readonly kind: "not sent" | "session lost" | "busy" | "lost" | "timeout" | "answered",
    message: string,
  ) {
    super(message);
  }

  /** The server never received the call: it may be sent over a new connection. */
  get neverArrived(): boolean {
    return this.kind === "not sent" || this.kind === "session lost";
  }
}

/** @param link the connection, as it is after the error */
export function troubleOf(error: unknown, link: { closed: boolean; lastWords: string }): Trouble {
  const words = link.closed && link.lastWords !== "" ? `; ${link.lastWords}` : "";
  return new Trouble(kindOf(error, link.closed), problemOf(error) + words);
}

function kindOf(error: unknown, closed: boolean): Trouble["kind"] {
  if (error instanceof NotSentError || reachedNobody(error)) return "not sent";
  if (error instanceof StreamableHTTPError) return kindOfStatus(error.code ?? 0, error.message);
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) return "timeout";
    return error.code === ErrorCode.ConnectionClosed && closed ? "lost" : "answered";
  }
  // The SDK's word for a client whose connection ended before the request was written.
  if (error instanceof Error && error.message === "Not connected") return "not sent";
  return (error as Error | undefined)?.name === "ZodError" ? "answered" : "lost";
}

function kindOfStatus(status: number, message: string): Trouble["kind"] {
  // 404 is the protocol's word for a session that the server does not know (any more); some say 400.
  if (status === 404 || (status === 400 && /session/i.test(message))) return "session lost";
  if (status === 429 || status === 503) return "busy";
  return status === 502 || status === 504 || status < 400 ? "lost" : "answered";
}

/** A server may answer with a page, or with much more. */
const MAX_PROBLEM_CHARS = 2_000;

/** In words for people, without the SDK's own numbers. */
export function problemOf(error: unknown): string {
  if ((error as Error | undefined)?.name === "ZodError") return "it returned something that is not a tool result";
  return errorText(error)
    .replace(/^MCP error -?\d+: /, "")
    .slice(0, MAX_PROBLEM_CHARS);
}

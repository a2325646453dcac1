import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { cutText } from "../../core/base/whole-characters";
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
  return new Trouble(kindOf(error), problemOf(error) + words);
}

function kindOf(error: unknown): Trouble["kind"] {
  if (error instanceof NotSentError || reachedNobody(error)) return "not sent";
  if (error instanceof SdkHttpError) return kindOfStatus(error.status, error.message);
  if (error instanceof ProtocolError) return "answered";
  if (error instanceof SdkError) return kindOfCode(error);
  // The SDK's word for a client whose connection ended before the request was written.
  if (error instanceof Error && error.message === "Not connected") return "not sent";
  return "lost";
}

function kindOfCode(error: SdkError): Trouble["kind"] {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return "timeout";
    case SdkErrorCode.NotConnected:
      return "not sent";
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.SendFailed:
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return "lost";
    default:
      return "answered";
  }
}

function kindOfStatus(status: number, message: string): Trouble["kind"] {
  // Protocol 2026-07-28 has no sessions: there 404 is the answer to a method that the server does not have.
  if (status === 404 && message.includes(String(ProtocolErrorCode.MethodNotFound))) return "answered";
  // 404 is the protocol's code for a session that the server does not know (any more); some answer 400.
  if (status === 404 || (status === 400 && /session/i.test(message))) return "session lost";
  if (status === 429 || status === 503) return "busy";
  return status === 502 || status === 504 || status < 400 ? "lost" : "answered";
}

/** A server may answer with a page, or with much more. */
const MAX_PROBLEM_CHARS = 2_000;

/** In words for people, without the SDK's own numbers. */
export function problemOf(error: unknown): string {
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.InvalidResult) return "it returned something that is not a tool result";
    if (error.code === SdkErrorCode.CapabilityNotSupported) return "it asks for input, which missions do not give";
  }
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MissingRequiredClientCapability)
    return cutText(`it needs what missions do not give: ${error.message}`, MAX_PROBLEM_CHARS);
  return cutText(errorText(error), MAX_PROBLEM_CHARS);
}

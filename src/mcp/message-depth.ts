import type { JSONRPCErrorResponse, JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { TOO_DEEP, tooDeepAt } from "../core/base/json/json-problem";

/** JSON-RPC: the parameters are wrong. */
const INVALID_PARAMS = -32602;

/**
 * The answer to a message that nests deeper than any argument may: schemas would walk it for minutes, at some hundred kilobytes.
 *
 * @returns undefined: it may be taken
 */
export function refusedDepth(message: unknown): JSONRPCErrorResponse | undefined {
  const path = tooDeepAt(message);
  if (path === undefined) return undefined;
  const { id } = message as { id?: unknown };
  return {
    jsonrpc: "2.0",
    ...(typeof id === "string" || typeof id === "number" ? { id } : {}),
    error: { code: INVALID_PARAMS, message: `The message cannot be taken: ${TOO_DEEP}, at ${path}` },
  };
}

/** Refuses messages of a connected transport that nest too deep. */
export function refuseDeepMessages(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) => {
    const refusal = refusedDepth(message);
    if (refusal === undefined) return onmessage?.(message, extra);
    if ("method" in message && "id" in message) void transport.send(refusal, { relatedRequestId: message.id });
  };
}

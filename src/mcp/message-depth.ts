import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { TOO_DEEP, tooDeepAt } from "../core/base/json-problem";

/** JSON-RPC: the parameters are wrong. */
const INVALID_PARAMS = -32602;

/**
 * Refuses messages of a connected transport that nest deeper than any argument may, before schemas walk them: that takes
 * minutes for a message of some hundred kilobytes.
 */
export function refuseDeepMessages(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) => {
    const path = tooDeepAt(message);
    if (path === undefined) return onmessage?.(message, extra);
    if (!("method" in message && "id" in message)) return;
    const error = { code: INVALID_PARAMS, message: `The message cannot be taken: ${TOO_DEEP}, at ${path}` };
    void transport.send({ jsonrpc: "2.0", id: message.id, error }, { relatedRequestId: message.id });
  };
}

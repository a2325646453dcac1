import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/**
 * Counts the requests that a connected transport has accepted and not answered, so that a server can answer them before
 * it ends.
 *
 * @returns a function that waits until none is left, at most `limitMs`
 */
export function countRequests(transport: Transport): (limitMs: number) => Promise<void> {
  const open = new Set<string | number>();
  let changed = () => {};
  const settle = (id: string | number) => {
    open.delete(id);
    changed();
  };
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) => {
    if ("method" in message && "id" in message) open.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled")
      settle(message.params?.requestId as string);
    onmessage?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!("method" in message) && message.id !== undefined) settle(message.id);
  };
  return async (limitMs) => {
    const end = Date.now() + limitMs;
    while (open.size > 0 && Date.now() < end)
      await new Promise<void>((resolve) => {
        changed = resolve;
        setTimeout(resolve, end - Date.now()).unref();
      });
  };
}

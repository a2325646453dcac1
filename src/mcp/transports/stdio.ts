import { PassThrough } from "node:stream";
import { StdioServerTransport, serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import { countRequests } from "../in-flight";
import { refuseDeepMessages } from "../message-depth";
import { createNavigatorServer, type ServerContext } from "../server";
import type { ownStdout } from "./own-stdout";

/** Calls in progress when the client leaves may be answered for this long. */
const LAST_ANSWERS_MS = 5_000;

/**
 * Serves one client over stdin and stdout until stdin ends or a signal arrives (mcp reference, section 7). The client's first message
 * shows in which era of the protocol it speaks.
 */
export async function serveStdio(serverContext: ServerContext, stdout: ReturnType<typeof ownStdout>): Promise<void> {
  // The SDK's transport drops open calls when its input ends. This one does not end.
  const input = new PassThrough();
  process.stdin.pipe(input, { end: false });
  const transport = new StdioServerTransport(input, stdout);
  const connection = serveConnection(
    ({ era }) => createNavigatorServer(serverContext, era === "modern" ? "2026-07-28" : "2025-11-25"),
    {
      transport,
      onerror: (error) => serverContext.log.warn("mcp_protocol_error", { error: error.message }),
    },
  );
  const answered = countRequests(transport);
  refuseDeepMessages(transport);
  const { onclose } = transport;
  const why = await new Promise<"stdin" | "signal" | "closed">((resolve) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => resolve("stdin"));
    const stop = () => {
      // A second signal, of either kind, ends the process.
      process.off("SIGTERM", stop).off("SIGINT", stop);
      resolve("signal");
    };
    process.on("SIGTERM", stop).on("SIGINT", stop);
    transport.onclose = () => {
      onclose?.();
      resolve("closed");
    };
  });
  if (why === "stdin") await answered(LAST_ANSWERS_MS);
  await connection.close();
  process.stdin.pause();
}

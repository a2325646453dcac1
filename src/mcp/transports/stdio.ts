import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { countRequests } from "../in-flight";
import { refuseDeepMessages } from "../message-depth";
import { createNavigatorServer, type ServerContext } from "../server";
import type { ownStdout } from "./own-stdout";

/** Calls in progress when the client leaves may be answered for this long. */
const LAST_ANSWERS_MS = 5_000;

/**
 * Serves one client over stdin and stdout until stdin ends or a signal arrives (mcp reference, section 7). The SDK's
 * transport does not notice the end of stdin, and an open connection would keep the process alive as an orphan.
 */
export async function serveStdio(serverContext: ServerContext, stdout: ReturnType<typeof ownStdout>): Promise<void> {
  const server = createNavigatorServer(serverContext);
  const transport = new StdioServerTransport(process.stdin, stdout as NodeJS.WriteStream);
  server.server.onerror = (error) => serverContext.log.warn("mcp_protocol_error", { error: error.message });
  const ended = new Promise<"stdin" | "signal" | "closed">((resolve) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => resolve("stdin"));
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve("signal"));
    server.server.onclose = () => resolve("closed");
  });
  await server.connect(transport);
  const answered = countRequests(transport);
  refuseDeepMessages(transport);
  const why = await ended;
  if (why === "stdin") await answered(LAST_ANSWERS_MS);
  await server.close();
}

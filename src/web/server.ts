import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { NavigatorError } from "../core/base/navigator-error";
import type { WebContext, WebSecurity } from "./context/context";
import { navigatorApp } from "./navigator-app";

/** A client that sends its headers, or its whole request, more slowly than this is cut off. */
const PATIENCE: Patience = { headersMs: 10_000, requestMs: 30_000 };
/** Pages send requests seconds or minutes apart on the same connection. */
const KEEP_CONNECTION_MS = 75_000;
/** More connections at a time are refused: each reader of events has one. */
const MAX_CONNECTIONS = 2_000;
/** How long open answers may take when the server stops, in ms. Streams are cut off: their readers come back. */
const LAST_ANSWERS_MS = 2_000;

export interface WebServer {
  /** With the chosen port, if none was given: `http://127.0.0.1:7400`. */
  url: string;
  /** Accepts no new requests; those in progress are answered within some seconds. */
  close(): Promise<void>;
}

/** How long a client may take to send its headers, and its whole request, in ms. */
export interface Patience {
  headersMs: number;
  requestMs: number;
}

export interface WebOptions extends WebSecurity {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Default: 10 s and 30 s. */
  patience?: Patience;
}

/**
 * Serves Mission Control: the page and its API (web reference).
 *
 * @throws NavigatorError `port_in_use`
 */
export async function serveWeb(context: WebContext, options: WebOptions): Promise<WebServer> {
  const { app, close: closeApp } = navigatorApp(context, options);
  const { patience = PATIENCE } = options;
  const running = new Set<Promise<unknown>>();
  const server = createAdaptorServer({
    fetch: (request, env) => {
      const answer = Promise.resolve(app.fetch(request, env));
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    serverOptions: {
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      keepAliveTimeout: KEEP_CONNECTION_MS,
      connectionsCheckingInterval: Math.min(1_000, patience.headersMs),
    },
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, options);
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      await closeApp();
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
      await closed;
      clearTimeout(late);
      // A request that was cut off may still use the connection to Temporal, which is closed next.
      await Promise.race([Promise.allSettled(running), delay(LAST_ANSWERS_MS, undefined, { ref: false })]);
    },
  };
}

function listening(server: Server, { host, port }: Pick<WebOptions, "host" | "port">): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new NavigatorError("port_in_use", `The server cannot listen on ${host}:${port}: ${error.message}.`, {
          hint: "Choose another: --port, --host",
          details: { path: `${host}:${port}` },
          exitCode: 2,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}

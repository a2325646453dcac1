import { type HttpOptions, type HttpServer, serveHttp } from "../../../src/mcp/transports/http/server";
import { LOOPBACK_HOSTS } from "../../../src/node/http/guard";
import { WITHOUT_TEMPORAL } from "./client";

/** A server over HTTP on a free port that asks for no token; its Temporal is away, unless `parts` has one. */
export const serveAlone = (more: Partial<HttpOptions> = {}, parts = WITHOUT_TEMPORAL): Promise<HttpServer> =>
  serveHttp(parts, { host: "127.0.0.1", port: 0, hosts: LOOPBACK_HOSTS, origins: [], token: null, ...more });

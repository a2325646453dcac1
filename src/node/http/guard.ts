import type { IncomingHttpHeaders } from "node:http";

/** From where requests may come, checked before anything else of them. */
export interface GuardSettings {
  /** Host names that clients may use for this server, without port; `[::1]` in brackets. */
  hosts: readonly string[];
  /** Allowed origins of web pages. Clients that are not browsers send none. */
  origins: readonly string[];
}

export interface Refused {
  status: 401 | 403 | 503;
  message: string;
}

/**
 * The checks of Host and Origin prevent a web page in a person's browser from calling a server on the person's machine,
 * even if its host name resolves to that machine (DNS rebinding).
 */
export function refuse(headers: IncomingHttpHeaders, { hosts, origins }: GuardSettings): Refused | null {
  const host = hostName(headers.host);
  if (host === null || !hosts.includes(host))
    return { status: 403, message: `Host "${headers.host ?? ""}" is not allowed here.` };
  const { origin } = headers;
  if (origin !== undefined && !isOwn(origin, headers.host) && !origins.includes(origin))
    return { status: 403, message: `Origin "${origin}" is not allowed here.` };
  return null;
}

/** Without its port, in lower case; null for an invalid host. */
function hostName(host: string | undefined): string | null {
  return /^(\[[0-9a-f:.]+\]|[^:/?#@[\]]+)(:\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase() ?? null;
}

/** A page of this very server: its host was checked before. */
const isOwn = (origin: string, host: string | undefined): boolean =>
  origin.toLowerCase() === `http://${host}`.toLowerCase();

export const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"] as const;

/** Checks whether an address belongs to this machine only. */
export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

/** A host as in a URL and in the Host header. */
export const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host).toLowerCase();

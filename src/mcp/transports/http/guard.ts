import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Who may speak to the server over HTTP: checked before anything of a request is read. */
export interface GuardSettings {
  /** Names by which clients may call this server, without port; `[::1]` in brackets. */
  hosts: readonly string[];
  /** Origins of web pages that may. None is needed for clients that are no browsers. */
  origins: readonly string[];
  /** Expected as `Authorization: Bearer TOKEN`; null: none is. */
  token: string | null;
}

export interface Refused {
  status: 401 | 403;
  message: string;
}

/**
 * Host and Origin keep a web page that a person has open from speaking to a server on the person's machine, also when
 * its name is made to point there (DNS rebinding); the token says who may at all.
 */
export function refuse(headers: IncomingHttpHeaders, { hosts, origins, token }: GuardSettings): Refused | null {
  const host = hostName(headers.host);
  if (host === null || !hosts.includes(host))
    return { status: 403, message: `Host "${headers.host ?? ""}" is not allowed here.` };
  const { origin } = headers;
  if (origin !== undefined && !isOwn(origin, headers.host) && !origins.includes(origin))
    return { status: 403, message: `Origin "${origin}" is not allowed here.` };
  if (token !== null && !sameText(bearer(headers.authorization), token))
    return { status: 401, message: "A bearer token is needed." };
  return null;
}

/** Without its port, in lower case; null for what is no host. */
function hostName(host: string | undefined): string | null {
  return /^(\[[0-9a-f:.]+\]|[^:/?#@[\]]+)(:\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase() ?? null;
}

/** A page of this very server: its host was found good before. */
const isOwn = (origin: string, host: string | undefined): boolean =>
  origin.toLowerCase() === `http://${host}`.toLowerCase();

const bearer = (authorization: string | undefined): string => /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";

/** How long it takes says nothing about where the two differ, or how long they are. */
function sameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"] as const;

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

/** A host as it stands in a URL and in the Host header. */
export const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host).toLowerCase();

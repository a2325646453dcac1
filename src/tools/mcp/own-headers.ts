import { NavigatorError } from "../../core/base/navigator-error";
import { isPrivateAddress, isSafeAddress } from "../../node/safe-address";
import { limited, MAX_MESSAGE_BYTES } from "./answer-limit";

/** Of an authorization server: keys, lists of scopes. */
const MAX_LOGIN_BYTES = 1024 * 1024;

/**
 * How an MCP server over HTTP is asked. Its headers may be secrets, and with OAuth a server names the addresses of its login
 * itself: so they go to its own origin alone, and other origins are asked over TLS. Of this machine, or of a private network, only a
 * server that is there itself may name addresses. Redirects are left to the caller, because a fetch that follows one takes the
 * headers along.
 */
export function fetchWithOwnHeaders(url: string, headers: Readonly<Record<string, string>> = {}): typeof fetch {
  const own = new URL(url);
  return async (to, init) => {
    const asked = new URL(to instanceof Request ? to.url : to);
    const request = { ...init, redirect: "manual" } as const;
    if (asked.origin === own.origin) {
      const all = new Headers(init?.headers);
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      return limited(await fetch(to, { ...request, headers: all }), MAX_MESSAGE_BYTES);
    }
    const problem = problemOf(own, asked);
    if (problem === undefined) return limited(await fetch(to, request), MAX_LOGIN_BYTES);
    throw new NavigatorError(
      "tool_source_failed",
      `The MCP server at ${own.origin} names ${asked.origin} for its login: that must be an address ${problem}.`,
      { details: { path: own.origin } },
    );
  };
}

function problemOf(own: URL, asked: URL): string | undefined {
  if (asked.protocol !== "https:") return isLocal(own) && isLocal(asked) ? undefined : "with https";
  return isPrivateAddress(asked) && !isPrivateAddress(own)
    ? "outside this machine and its private networks"
    : undefined;
}

/** A server on this machine, without TLS. */
const isLocal = ({ href, protocol }: URL): boolean => protocol === "http:" && isSafeAddress(href);

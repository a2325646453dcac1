import { NavigatorError } from "../../core/base/navigator-error";
import { isSafeAddress } from "../../node/safe-address";

/**
 * How an MCP server over HTTP is asked. Its headers may be secrets, and with OAuth a server names the addresses of its login
 * itself: so they go to its own origin alone, and other origins are asked over TLS. Of this machine only a server of this machine
 * may name addresses.
 */
export function fetchWithOwnHeaders(url: string, headers: Readonly<Record<string, string>> = {}): typeof fetch {
  const own = new URL(url);
  return async (to, init) => {
    const asked = new URL(to instanceof Request ? to.url : to);
    if (asked.origin === own.origin) {
      const all = new Headers(init?.headers);
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      return fetch(to, { ...init, headers: all });
    }
    if (asked.protocol === "https:" || (isLocal(own) && isLocal(asked))) return fetch(to, init);
    throw new NavigatorError(
      "mcp_server_failed",
      `The MCP server at ${own.origin} names ${asked.origin} for its login: that must be an address with https.`,
    );
  };
}

/** A server on this machine, without TLS. */
const isLocal = ({ href, protocol }: URL): boolean => protocol === "http:" && isSafeAddress(href);

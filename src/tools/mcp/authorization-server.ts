import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Challenge } from "./bearer";

/** Who gives tokens for an MCP server, and how it calls that server. */
export interface AuthorizationServer {
  issuer: string;
  metadata: AuthorizationServerMetadata | undefined;
  resource: string | undefined;
  /** The scopes that the MCP server has, separated by spaces. */
  scope: string | undefined;
}

/**
 * The authorization server of an MCP server (RFC 9728): the `issuer` of the settings, or else the first that the MCP
 * server names, or else the MCP server itself.
 *
 * @throws NavigatorError `tool_source_failed` for a server that names another issuer than the settings, or declares
 *   that its tokens are for another server
 */
export async function authorizationServerOf(
  { name, issuer }: { name: string; issuer?: string | undefined },
  url: string,
  challenge: Challenge,
  ask: typeof fetch,
): Promise<AuthorizationServer> {
  const refused = (problem: string) =>
    new NavigatorError("tool_source_failed", `The MCP server "${name}" (${new URL(url).origin}) ${problem}.`, {
      details: { path: name },
    });
  const about = await resourceMetadata(url, challenge, ask);
  if (about !== undefined && !isFor(url, about.resource))
    throw refused(`declares that its tokens are for ${about.resource}, which is another server`);
  const named = about?.authorization_servers ?? [];
  if (issuer !== undefined && named.length > 0 && !named.some((one) => isSameIssuer(one, issuer)))
    throw refused(`names the authorization server ${named[0]}, but \`issuer\` of its settings is ${issuer}`);
  const chosen = issuer ?? named[0] ?? new URL("/", url).href;
  return {
    issuer: chosen,
    metadata: await discoverAuthorizationServerMetadata(chosen, { fetchFn: ask }),
    resource: about?.resource,
    scope: about?.scopes_supported?.join(" "),
  };
}

async function resourceMetadata(url: string, { resourceMetadataUrl }: Challenge, ask: typeof fetch) {
  try {
    return await discoverOAuthProtectedResourceMetadata(url, defined({ resourceMetadataUrl }), ask);
  } catch (error) {
    if (error instanceof NavigatorError) throw error;
    // A server without this document is its own authorization server.
    return undefined;
  }
}

function isFor(url: string, resource: string): boolean {
  if (!URL.canParse(resource)) return false;
  const requestedResource = new URL(url);
  requestedResource.hash = "";
  return checkResourceAllowed({ requestedResource, configuredResource: resource });
}

/** Whether two addresses name one authorization server: a slash at the end and the spelling of the host do not matter. */
export function isSameIssuer(one: string, other: string): boolean {
  const plain = (text: string) => (URL.canParse(text) ? new URL(text).href : text).replace(/\/$/, "");
  return plain(one) === plain(other);
}

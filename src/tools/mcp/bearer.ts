import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { defined } from "../../core/base/defined";

/** The answer of a server that refused a token: where it describes its login, and the scopes that it wants. */
export type Challenge = Omit<ReturnType<typeof extractWWWAuthenticateParams>, "error">;

/** Who has the access tokens for a server. */
export interface TokenSource {
  /** The token for the next request; undefined: none is known. @throws NavigatorError for a login that cannot be used */
  token(): string | undefined;
  /**
   * A token in place of one that the server refused.
   *
   * @throws NavigatorError `mcp_login_needed`, `tool_source_failed`
   */
  renewed(refused: string | undefined, challenge: Challenge): Promise<string>;
}

/** Requests with a token. One that is refused for its token is sent again with another token, once. Only the server's own origin gets any. */
export function fetchWithToken(url: string, ask: typeof fetch, source: TokenSource): typeof fetch {
  const { origin } = new URL(url);
  return async (to, init) => {
    if (new URL(to instanceof Request ? to.url : to).origin !== origin) return ask(to, init);
    const send = (token: string | undefined) => {
      const headers = new Headers(init?.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return ask(to, { ...init, headers });
    };
    const token = source.token();
    const answer = await send(token);
    // DELETE ends a session: that is not worth a token.
    if (answer.status !== 401 || init?.method === "DELETE") return answer;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
    await answer.body?.cancel();
    return send(await source.renewed(token, defined({ resourceMetadataUrl, scope })));
  };
}

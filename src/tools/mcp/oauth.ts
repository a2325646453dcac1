import {
  ClientCredentialsProvider,
  discoverAuthorizationServerMetadata,
  fetchToken,
  type OAuthClientInformationMixed,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import { fileNotWritten, whileLocked } from "../../node/file-lock";
import { shellWord } from "../../node/shell-word";
import { errorText } from "../invoke";
import { authorizationServerOf, isSameIssuer } from "./authorization-server";
import type { Challenge, TokenSource } from "./bearer";
import type { KeptLogin, LoginFile } from "./kept-login";

/** The settings of OAuth for one server, every reference in them replaced. */
export interface OAuthAccess {
  /** The source, as `navigator tools login` names it. */
  name: string;
  grant: "authorization_code" | "client_credentials";
  scope?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  issuer?: string | undefined;
  /** Called with every secret, before it is used: texts about the server do not show it. */
  keep(secret: string): void;
  /** Removes secrets from texts. */
  hide(text: string): string;
}

/** The longest that the way to a new token may take, with all its requests. */
const RENEWAL_MS = 30_000;

/** How a worker gets tokens: with its own credentials, or with the login that a person made before. */
export function workerTokens(access: OAuthAccess, url: string, login: LoginFile, ask: typeof fetch): TokenSource {
  return access.grant === "client_credentials" ? new OwnTokens(access, url, ask) : new KeptTokens(access, login, ask);
}

/** Client credentials: the worker asks for a token whenever it needs one, and keeps it in memory. */
class OwnTokens implements TokenSource {
  private cached: string | undefined;
  private asking: Promise<string> | undefined;

  constructor(
    private readonly access: OAuthAccess,
    private readonly url: string,
    private readonly ask: typeof fetch,
  ) {}

  token(): string | undefined {
    return this.cached;
  }

  async renewed(refused: string | undefined, challenge: Challenge): Promise<string> {
    if (this.cached !== undefined && this.cached !== refused) return this.cached;
    this.asking ??= this.another(challenge).finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async another(challenge: Challenge): Promise<string> {
    const { access, url } = this;
    const { client_id = "", client_secret = "", issuer = "", scope } = access;
    access.keep(client_secret);
    const fetchFn = withinTime(this.ask, RENEWAL_MS);
    try {
      const server = await authorizationServerOf(access, url, challenge, fetchFn);
      const credentials = { clientId: client_id, clientSecret: client_secret, expectedIssuer: issuer };
      const provider = new ClientCredentialsProvider({
        ...credentials,
        clientName: "Navigator",
        ...defined({ scope }),
      });
      const { metadata, resource } = server;
      const tokens = await fetchToken(provider, server.issuer, { fetchFn, ...defined({ metadata, resource }) });
      access.keep(tokens.access_token);
      this.cached = tokens.access_token;
      return tokens.access_token;
    } catch (error) {
      throw notGiven(access, "got no token", error);
    }
  }
}

/** The client that the settings name; undefined: the login registers one. */
export const givenClient = ({
  client_id,
  client_secret,
  keep,
}: OAuthAccess): OAuthClientInformationMixed | undefined => {
  if (client_secret !== undefined) keep(client_secret);
  return client_id === undefined ? undefined : { client_id, ...defined({ client_secret }) };
};

/**
 * The tokens of `navigator tools login`, refreshed when they are over. A worker opens no browser. A refresh token is
 * often good for one use, and a second one ends the login: so of all processes that have this login one at a time
 * refreshes it. No data of the MCP server is used for that.
 */
class KeptTokens implements TokenSource {
  constructor(
    private readonly access: OAuthAccess,
    private readonly login: LoginFile,
    private readonly ask: typeof fetch,
  ) {}

  token(): string | undefined {
    return this.kept()?.tokens.access_token;
  }

  async renewed(refused: string | undefined): Promise<string> {
    const now = this.other(refused);
    if (now !== undefined) return now;
    const time = { wait_ms: 2 * RENEWAL_MS, lasts_ms: 2 * RENEWAL_MS };
    const lock = `${this.login.file}.refresh`;
    try {
      const locked = await whileLocked(lock, time, async () => {
        // Who had the lock before may have refreshed them.
        const now = this.other(refused);
        if (now !== undefined) return now;
        await this.refresh();
        return this.other(refused);
      });
      if (!("done" in locked))
        throw notGiven(this.access, "is not refreshed", new Error(`${lock} is locked by ${locked.locked_by}`));
      if (locked.done === undefined) throw this.needed();
      return locked.done;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : fileNotWritten(lock, error);
    }
  }

  /** The token that is kept, if it is not the refused one. @throws NavigatorError without a login */
  private other(refused: string | undefined): string | undefined {
    const kept = this.kept();
    if (kept === undefined) throw this.needed();
    return kept.tokens.access_token === refused ? undefined : kept.tokens.access_token;
  }

  /** New tokens in the file, or none if these are over. A login that somebody made in the meantime stays. */
  private async refresh(): Promise<void> {
    const { access, login } = this;
    const kept = this.kept();
    const client = givenClient(access) ?? kept?.client;
    if (kept === undefined || kept.tokens.refresh_token === undefined || client === undefined) throw this.needed();
    if (client.client_secret !== undefined) access.keep(client.client_secret);
    const fetchFn = withinTime(this.ask, RENEWAL_MS);
    let tokens: OAuthTokens;
    try {
      const metadata = await discoverAuthorizationServerMetadata(kept.issuer, { fetchFn });
      tokens = await refreshAuthorization(kept.issuer, {
        clientInformation: client,
        refreshToken: kept.tokens.refresh_token,
        fetchFn,
        ...defined({ metadata, resource: kept.resource }),
      });
    } catch (error) {
      const code = error instanceof OAuthError ? error.code : undefined;
      if (code === OAuthErrorCode.InvalidGrant) return login.replaceTokens(kept, undefined);
      if (code === OAuthErrorCode.InvalidClient || code === OAuthErrorCode.UnauthorizedClient)
        throw this.needed(`${kept.issuer} does not know its client any more`);
      throw notGiven(access, "cannot be refreshed", error);
    }
    this.hidden(tokens);
    login.replaceTokens(kept, tokens);
  }

  /**
   * @throws NavigatorError for a login that may be used with no authorization server, or with another one than the
   *   settings name
   */
  private kept(): (KeptLogin & { issuer: string; tokens: OAuthTokens }) | undefined {
    const kept = this.login.read();
    if (kept?.tokens === undefined) return undefined;
    const { issuer, tokens } = kept;
    if (typeof issuer !== "string") throw this.needed("the kept login does not name its authorization server");
    if (this.access.issuer !== undefined && !isSameIssuer(issuer, this.access.issuer))
      throw this.needed(`the kept login is for ${issuer}, and \`issuer\` of the settings is ${this.access.issuer}`);
    this.hidden(tokens);
    return { ...kept, issuer, tokens };
  }

  private hidden({ access_token, refresh_token }: OAuthTokens): void {
    this.access.keep(access_token);
    if (refresh_token !== undefined) this.access.keep(refresh_token);
  }

  private needed(why?: string): NavigatorError {
    const { name } = this.access;
    const command = `navigator tools login ${shellWord(name)}`;
    const because = why === undefined ? "" : ` (${why})`;
    return new NavigatorError(
      "mcp_login_needed",
      `The MCP server "${name}" needs a login: run \`${command}\`${because}.`,
      {
        hint: `Run ${command} as the user of the worker, then start or repeat what failed.`,
      },
    );
  }
}

const MAX_PROBLEM_CHARS = 500;

/** Nobody gave a token, and nobody needs to log in for that: it may pass. */
function notGiven({ name, hide }: OAuthAccess, what: string, error: unknown): NavigatorError {
  if (error instanceof NavigatorError) return error;
  const problem = cutText(hide(errorText(error)), MAX_PROBLEM_CHARS);
  return new NavigatorError("tool_source_failed", `The login to the MCP server "${name}" ${what}: ${problem}`, {
    details: { path: name },
  });
}

/** Requests that end together after a time, whatever keeps them waiting. */
export function withinTime(ask: typeof fetch, ms: number): typeof fetch {
  const limit = AbortSignal.timeout(ms);
  return (to, init) => ask(to, { ...init, signal: init?.signal ? AbortSignal.any([limit, init.signal]) : limit });
}

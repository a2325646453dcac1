import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { LoginFile } from "./kept-login";

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
}

/** How a worker gets tokens: with its own credentials, or with the login that a person made before. */
export function workerAuth(access: OAuthAccess, login: LoginFile): OAuthClientProvider {
  return access.grant === "client_credentials" ? new Credentials(access) : new KeptLoginProvider(access, login);
}

/** Client credentials: the worker asks for a token whenever it needs one, and keeps it in memory. */
class Credentials extends ClientCredentialsProvider {
  constructor(private readonly access: OAuthAccess) {
    const { client_id = "", client_secret = "", scope, issuer } = access;
    access.keep(client_secret);
    super({
      clientId: client_id,
      clientSecret: client_secret,
      clientName: "Navigator",
      ...defined({ scope, expectedIssuer: issuer }),
    });
  }

  override saveTokens(tokens: OAuthTokens): void {
    this.access.keep(tokens.access_token);
    super.saveTokens(tokens);
  }
}

/** What both a login and a worker say of themselves to an authorization server. */
export const clientMetadata = (access: OAuthAccess, redirectUrl: string): OAuthClientMetadata => ({
  client_name: "Navigator",
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: access.client_secret === undefined ? "none" : "client_secret_basic",
  ...defined({ scope: access.scope }),
});

/** The client that the settings name; undefined: the server registers one. */
export const givenClient = ({
  client_id,
  client_secret,
  keep,
}: OAuthAccess): OAuthClientInformationMixed | undefined => {
  if (client_secret !== undefined) keep(client_secret);
  return client_id === undefined ? undefined : { client_id, ...defined({ client_secret }) };
};

/** The tokens of `navigator tools login`, refreshed when they are over. A worker opens no browser. */
class KeptLoginProvider implements OAuthClientProvider {
  /** Nobody listens there: a worker is never sent to it. It says to the SDK that tokens come from a login. */
  readonly redirectUrl = "http://127.0.0.1/callback";
  private used: string | undefined;

  constructor(
    private readonly access: OAuthAccess,
    private readonly login: LoginFile,
  ) {}

  get clientMetadata(): OAuthClientMetadata {
    return clientMetadata(this.access, this.redirectUrl);
  }

  clientInformation(): OAuthClientInformationMixed {
    const client = this.login.read()?.client ?? givenClient(this.access);
    if (client === undefined) throw this.needed();
    if (client.client_secret !== undefined) this.access.keep(client.client_secret);
    return client;
  }

  tokens(): OAuthTokens | undefined {
    const tokens = this.login.read()?.tokens;
    if (tokens === undefined) return undefined;
    this.access.keep(tokens.access_token);
    if (tokens.refresh_token !== undefined) this.access.keep(tokens.refresh_token);
    this.used = tokens.refresh_token;
    return tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.access.keep(tokens.access_token);
    if (tokens.refresh_token !== undefined) this.access.keep(tokens.refresh_token);
    this.login.write({ ...this.login.read(), tokens });
  }

  /** Another worker may have refreshed them in the meantime: then its tokens are taken, and none are lost. */
  invalidateCredentials(): void {
    const kept = this.login.read();
    if (kept?.tokens?.refresh_token === this.used) this.login.write({ client: kept?.client });
  }

  redirectToAuthorization(): never {
    throw this.needed();
  }

  saveCodeVerifier(): void {}

  codeVerifier(): never {
    throw this.needed();
  }

  private needed(): NavigatorError {
    const { name } = this.access;
    const command = `navigator tools login ${name}`;
    return new NavigatorError("mcp_login_needed", `The MCP server "${name}" needs a login: run \`${command}\`.`, {
      hint: `Run ${command} as the user of the worker, then start or repeat what failed.`,
    });
  }
}

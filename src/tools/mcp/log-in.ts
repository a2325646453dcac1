import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { NavigatorError } from "../../core/base/navigator-error";
import { errorText } from "../invoke";
import type { LoginFile } from "./kept-login";
import { clientMetadata, givenClient, type OAuthAccess } from "./oauth";
import { fetchWithOwnHeaders } from "./own-headers";

const PATIENCE_MS = 5 * 60_000;

export interface McpLogin {
  access: OAuthAccess;
  url: string;
  login: LoginFile;
  headers: { [name: string]: string };
  /** The port of the address to which the browser comes back; 0 = any. A client that was registered before may need its own. */
  port: number;
  /** Shows a person where to log in. */
  show(address: string): void;
  /** Removes secrets from texts. */
  hide(text: string): string;
  patience_ms?: number | undefined;
}

/**
 * Logs a person in to an MCP server: authorization code with PKCE (OAuth 2.1). The browser comes back to a port of this machine that
 * only it can reach. The tokens are kept when the server has accepted them.
 *
 * @throws NavigatorError `mcp_login_failed`, `mcp_server_failed`
 */
export async function logInToMcp(options: McpLogin): Promise<void> {
  const { access, url, login, headers, hide } = options;
  const failed = (problem: string) =>
    new NavigatorError("mcp_login_failed", hide(`Nobody is logged in to the MCP server "${access.name}": ${problem}.`));
  const callback = await openCallback(options.port, options.patience_ms ?? PATIENCE_MS, failed);
  const provider = new LoginProvider(access, callback, options.show);
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      authProvider: provider,
      fetch: fetchWithOwnHeaders(url, headers),
    });
    const client = new Client({ name: "navigator", version: "1" });
    try {
      await client.connect(transport as never);
      return null;
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !provider.asked) throw error;
      return transport;
    } finally {
      if (!provider.asked || provider.tokens() !== undefined) await client.close();
    }
  };
  try {
    const transport = await connect();
    if (transport === null) throw failed("it asks for no login");
    await transport.finishAuth(await callback.code);
    if ((await connect()) !== null) throw failed("it does not accept the tokens that it gave");
    login.write({ client: provider.clientInformation(), tokens: provider.tokens() });
  } catch (error) {
    throw error instanceof NavigatorError ? error : failed(errorText(error).replace(/\.$/, ""));
  } finally {
    callback.close();
  }
}

/** Keeps everything in memory until the login has succeeded. */
class LoginProvider implements OAuthClientProvider {
  asked = false;
  private client: OAuthClientInformationMixed | undefined;
  private held: OAuthTokens | undefined;
  private verifier = "";

  constructor(
    private readonly access: OAuthAccess,
    private readonly callback: Callback,
    private readonly show: (address: string) => void,
  ) {
    this.client = givenClient(access);
  }

  get redirectUrl(): string {
    return this.callback.url;
  }

  get clientMetadata() {
    return clientMetadata(this.access, this.redirectUrl);
  }

  state = (): string => this.callback.state;

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    if (client.client_secret !== undefined) this.access.keep(client.client_secret);
    this.client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.held;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.access.keep(tokens.access_token);
    if (tokens.refresh_token !== undefined) this.access.keep(tokens.refresh_token);
    this.held = tokens;
  }

  redirectToAuthorization(address: URL): void {
    this.asked = true;
    this.show(address.href);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }
}

interface Callback {
  url: string;
  state: string;
  code: Promise<string>;
  close(): void;
}

/** Waits on the loopback interface for the browser that comes back with the code. */
async function openCallback(port: number, patience_ms: number, failed: (problem: string) => Error): Promise<Callback> {
  const state = randomBytes(24).toString("base64url");
  let server: Server | undefined;
  let timer: NodeJS.Timeout | undefined;
  let settle: { resolve(code: string): void; reject(error: Error): void } | undefined;
  const code = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // It may fail before anybody waits for it.
  code.catch(() => {});
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const answer = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(text);
    if (pathname !== "/callback") return answer(404, "There is nothing here.");
    // Somebody else's page may call this address, too.
    if (searchParams.get("state") !== state) return answer(400, "This is not the login that Navigator waits for.");
    const [given, problem] = [searchParams.get("code"), searchParams.get("error")];
    if (given === null) {
      settle?.reject(failed(`the server said "${searchParams.get("error_description") ?? problem ?? "no code"}"`));
      return answer(400, "The login failed. The terminal says why.");
    }
    settle?.resolve(given);
    return answer(200, "You are logged in. You may close this window.");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(failed(`the port ${port} cannot be used (${error.message})`)));
    server.listen(port, "127.0.0.1", resolve);
  });
  timer = setTimeout(() => settle?.reject(failed("nobody logged in within 5 minutes")), patience_ms);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    state,
    code,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exchangeAuthorization,
  type OAuthClientMetadata,
  registerClient,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import { isSafeAddress } from "../../node/safe-address";
import { errorText } from "../invoke";
import { authorizationServerOf, isSameIssuer } from "./authorization-server";
import type { Challenge, TokenSource } from "./bearer";
import type { LoginFile } from "./kept-login";
import { Link } from "./link";
import { givenClient, type OAuthAccess, withinTime } from "./oauth";
import { fetchWithOwnHeaders } from "./own-headers";

/** For the person in the browser. */
const PATIENCE_MS = 5 * 60_000;
/** For all requests before the browser, and for all after it. */
const ASKING_MS = 60_000;
const MAX_PROBLEM_CHARS = 500;

export interface McpLogin {
  access: OAuthAccess;
  url: string;
  login: LoginFile;
  headers: { [name: string]: string };
  /** The port of the address to which the browser comes back; 0 = any. A client that was registered before may need its own. */
  port: number;
  /** Shows a person where to log in. */
  show(address: string): void;
  patience_ms?: number | undefined;
}

/**
 * Logs a person in to an MCP server: authorization code with PKCE (OAuth 2.1). The browser comes back to a port of this machine that
 * only it can reach. The tokens are kept when the server has accepted them.
 *
 * @throws NavigatorError `tool_source_failed`
 */
export async function logInToMcp(options: McpLogin): Promise<void> {
  const { access, url, login, headers } = options;
  const failed = (problem: string) => {
    const shownProblem = cutText(access.hide(problem), MAX_PROBLEM_CHARS);
    return new NavigatorError(
      "tool_source_failed",
      `Nobody is logged in to the MCP server "${access.name}": ${shownProblem}.`,
      { details: { path: access.name } },
    );
  };
  const connect = async (tokens: TokenSource) => {
    const link = new Link({ url, headers, tokens }, { onClose() {}, onToolsChanged() {}, onError() {} });
    await link.open();
    await link.close();
  };
  const ask = fetchWithOwnHeaders(url, headers);
  const callback = await openCallback(options.port, options.patience_ms ?? PATIENCE_MS, failed);
  try {
    const refusal = await connect(NO_TOKEN).catch((error) => error);
    if (refusal === undefined) throw failed("it asks for no login");
    if (!(refusal instanceof Refused)) throw refusal;
    const fetchFn = withinTime(ask, ASKING_MS);
    const server = await authorizationServerOf(access, url, refusal.challenge, fetchFn);
    // A server may want more than the settings allow.
    const scope = access.scope ?? refusal.challenge.scope ?? server.scope;
    const shared = defined({ metadata: server.metadata, resource: server.resource, scope });
    const registered =
      access.client_id === undefined
        ? await registerClient(server.issuer, { clientMetadata: aboutUs(callback.url), fetchFn, ...shared })
        : undefined;
    if (registered?.client_secret !== undefined) access.keep(registered.client_secret);
    const clientInformation = givenClient(access) ?? (registered as NonNullable<typeof registered>);
    const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
      clientInformation,
      redirectUrl: callback.url,
      state: callback.state,
      ...shared,
    });
    if (!isSafeAddress(authorizationUrl.href))
      throw failed(`${authorizationUrl.origin} is named for the login: that must be an address with https`);
    options.show(authorizationUrl.href);
    const { code, iss } = await callback.answer;
    // RFC 9207: a server that sends the browser to somebody else's login would get that login's code.
    if (iss !== null && !isSameIssuer(iss, server.issuer))
      throw failed(`the browser came back from ${iss}, and not from ${server.issuer}`);
    const tokens = await exchangeAuthorization(server.issuer, {
      clientInformation,
      authorizationCode: code,
      codeVerifier,
      redirectUri: callback.url,
      fetchFn: withinTime(ask, ASKING_MS),
      ...shared,
    });
    for (const secret of [tokens.access_token, tokens.refresh_token]) if (secret !== undefined) access.keep(secret);
    await connect({
      token: () => tokens.access_token,
      renewed: () => Promise.reject(failed("it does not accept the tokens that it gave")),
    });
    login.write({ issuer: server.issuer, tokens, ...defined({ resource: server.resource, client: registered }) });
  } catch (error) {
    throw error instanceof NavigatorError ? error : failed(errorText(error).replace(/\.$/, ""));
  } finally {
    callback.close();
  }
}

/** How this client describes itself to an authorization server. */
const aboutUs = (redirectUrl: string): OAuthClientMetadata => ({
  client_name: "Navigator",
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** The server wants a login. */
class Refused extends Error {
  constructor(readonly challenge: Challenge) {
    super("it wants a login");
  }
}

const NO_TOKEN: TokenSource = {
  token: () => undefined,
  renewed: (_, challenge) => Promise.reject(new Refused(challenge)),
};

interface Callback {
  url: string;
  state: string;
  /** `iss`: the authorization server that it comes from, if it names one. */
  answer: Promise<{ code: string; iss: string | null }>;
  close(): void;
}

const HERE = "http://127.0.0.1";

/** The code or problem that the browser brings, and the answer to it. */
interface BrowserAnswer {
  status: number;
  text: string;
  code?: string;
  problem?: string;
}

function readCallback(pathname: string, query: URLSearchParams, state: string): BrowserAnswer {
  if (pathname !== "/callback") return { status: 404, text: "There is nothing here." };
  // Somebody else's page may call this address, too.
  if (query.get("state") !== state) return { status: 400, text: "This is not the login that Navigator waits for." };
  const code = query.get("code");
  if (code !== null)
    return { status: 200, text: "The terminal shows whether you are logged in. You may close this window.", code };
  const problem = query.get("error_description") ?? query.get("error") ?? "no code";
  return { status: 400, text: "The login failed. The terminal shows the reason.", problem };
}

/** Waits on the loopback interface for the browser that comes back with the code. */
async function openCallback(port: number, patience_ms: number, failed: (problem: string) => Error): Promise<Callback> {
  const state = randomBytes(24).toString("base64url");
  let server: Server | undefined;
  let timer: NodeJS.Timeout | undefined;
  let settle: { resolve(answer: Awaited<Callback["answer"]>): void; reject(error: Error): void } | undefined;
  const came: Callback["answer"] = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  // It may fail before anybody waits for it.
  came.catch(() => {});
  server = createServer((request, response) => {
    const asked = request.url ?? "/";
    // Not everything that HTTP allows is an address: "//" is none.
    const { pathname, searchParams } = new URL(URL.canParse(asked, HERE) ? asked : "/", HERE);
    const { status, text, code, problem } = readCallback(pathname, searchParams, state);
    if (problem !== undefined) settle?.reject(failed(`the server reported "${problem}"`));
    if (code !== undefined) settle?.resolve({ code, iss: searchParams.get("iss") });
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(failed(`the port ${port} cannot be used (${error.message})`)));
    server.listen(port, "127.0.0.1", resolve);
  });
  timer = setTimeout(() => settle?.reject(failed("nobody logged in within 5 minutes")), patience_ms);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    state,
    answer: came,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

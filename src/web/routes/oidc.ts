import { createHash, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { decodeJwt } from "jose";
import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { ownPlace } from "../../node/http/own-place";
import { discoverIssuer, issuerUnavailable, type OidcSettings } from "../../node/identity/oidc";
import type { WebApp, WebContext, WebSecurity } from "../context/context";
import { callerOf } from "../requests/admit";
import { SESSION_COOKIE, SessionCookies, sessionCookieOptions } from "../requests/session-cookie";

/** Of a login that is under way: it comes back from the issuer's page, so it is sent with requests that begin elsewhere. */
const LOGIN_COOKIE = "navigator_login";
const LOGIN_S = 600;
const LIMIT_MS = 10_000;
const CALLBACK = "/api/session/oidc/callback";

const Login = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
const Tokens = z.object({ id_token: z.string() });

/**
 * Logging in with the project's OIDC issuer (web reference, section 2): the authorization code flow with PKCE. This server is the
 * client whose id is `oidc.audience`. What the issuer gives is checked as every token is.
 */
export function oidcRoutes(app: WebApp, web: WebContext, security: WebSecurity): void {
  const cookies = new SessionCookies(security.home);
  const settings = (): OidcSettings => {
    const { oidc } = web.project;
    if (oidc !== undefined) return oidc;
    throw new NavigatorError("not_found", "The project has no OIDC issuer.", {
      hint: "Name one in navigator.config: oidc: { issuer, audience }",
      details: { path: "oidc", kind: "route" },
    });
  };
  const ownAddress = (c: Context): string =>
    `${security.isSecure ? "https" : "http"}://${c.req.header("host")}${CALLBACK}`;
  const loginCookie = { path: "/api/session", httpOnly: true, sameSite: "Lax", secure: security.isSecure } as const;

  app.get("/api/session/oidc", async (c) => {
    const { issuer, audience } = settings();
    const { authorization_endpoint } = await discoverIssuer(issuer);
    if (authorization_endpoint === undefined) throw issuerUnavailable(issuer, new Error("it names no page to log in"));
    const login = { state: secret(), nonce: secret(), verifier: secret(), to: ownPlace(c.req.query("to")) };
    setCookie(c, LOGIN_COOKIE, await cookies.hide(login, LOGIN_S), { ...loginCookie, maxAge: LOGIN_S });
    return c.redirect(loginAddress(authorization_endpoint, { audience, redirect: ownAddress(c), login }), 303);
  });

  app.get(CALLBACK, async (c) => {
    const began = Login.safeParse(await cookies.reveal(getCookie(c, LOGIN_COOKIE) ?? ""));
    deleteCookie(c, LOGIN_COOKIE, loginCookie);
    const { code, state } = c.req.query();
    // The login did not begin in this browser, or the person refused at the issuer.
    if (!began.success || code === undefined || state !== began.data.state)
      return c.redirect("/login?refused=oidc", 303);
    const { nonce, verifier, to } = began.data;
    const token = await exchange(settings(), { code, verifier, redirect: ownAddress(c) });
    const caller = token === null ? null : await callerOf(`Bearer ${token}`, web, security);
    if (token === null || caller === null || decodeJwt(token).nonce !== nonce)
      return c.redirect("/login?refused=oidc", 303);
    const { cookie } = await cookies.seal(token);
    setCookie(c, SESSION_COOKIE, cookie, sessionCookieOptions(security));
    return c.redirect(to, 303);
  });
}

/** The page of the issuer where a person logs in. */
function loginAddress(
  endpoint: string,
  { audience, redirect, login }: { audience: string; redirect: string; login: z.infer<typeof Login> },
): string {
  const address = new URL(endpoint);
  const query = {
    response_type: "code",
    scope: "openid email",
    client_id: audience,
    redirect_uri: redirect,
    state: login.state,
    nonce: login.nonce,
    code_challenge: createHash("sha256").update(login.verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}

const secret = (): string => randomBytes(24).toString("base64url");

/** The ID token for a code; null: the issuer does not take the code. @throws NavigatorError `service_unavailable` */
async function exchange(
  { issuer, audience, client_secret_env }: OidcSettings,
  { code, verifier, redirect }: { code: string; verifier: string; redirect: string },
): Promise<string | null> {
  const { token_endpoint } = await discoverIssuer(issuer);
  if (token_endpoint === undefined) throw issuerUnavailable(issuer, new Error("it names no address for codes"));
  const clientSecret = client_secret_env === undefined ? undefined : process.env[client_secret_env];
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirect,
    client_id: audience,
    code_verifier: verifier,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  });
  try {
    const answer = await fetch(token_endpoint, {
      method: "POST",
      body,
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (answer.status >= 400 && answer.status < 500) return null;
    if (!answer.ok) throw new Error(`${token_endpoint} answers ${answer.status}`);
    return Tokens.parse(await answer.json()).id_token;
  } catch (error) {
    throw issuerUnavailable(issuer, error);
  }
}

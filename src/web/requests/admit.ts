import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { NavigatorError } from "../../core/base/navigator-error";
import { authenticate, sameText } from "../../node/http/authenticate";
import { refuse } from "../../node/http/guard";
import type { WebCaller, WebContext, WebEnv, WebSecurity } from "../context/context";
import { isCodecPath } from "./codec-requests";
import { MAX_OPEN_REQUESTS, OpenRequests } from "./open-requests";
import { RateLimiter } from "./rate-limit";
import { SESSION_COOKIE, SessionCookies } from "./session-cookie";

/** These are asked before somebody is known. They check what they are given themselves. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  "/api/session",
  "/api/session/oidc",
  "/api/session/oidc/callback",
  "/api/openapi.json",
  // The token of a notification's link is in the body.
  "/api/links/review",
  "/api/links/decision",
]);
/** Webhooks of other systems are signed: their signature is checked instead. */
const isOpen = (path: string): boolean => OPEN_PATHS.has(path) || path.startsWith("/api/hooks/");
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** The header with the text that the page sends with changes. */
export const CSRF_HEADER = "x-navigator-csrf";

/**
 * Lets a request in, or throws (web reference, section 2): its host and origin are ours, its token counts, or that of the
 * browser's session, and its caller is not too fast.
 */
export function admit(context: WebContext, security: WebSecurity): MiddlewareHandler<WebEnv> {
  const cookies = new SessionCookies(security.home);
  const limiter = new RateLimiter(security.rateLimit);
  const open = new OpenRequests();
  const strangers = new RateLimiter(security.strangerLimit);
  return async (c, next) => {
    const headers = Object.fromEntries(c.req.raw.headers);
    const isCodec = isCodecPath(c.req.path);
    const origins = isCodec ? [...security.origins, ...(security.codecOrigins ?? [])] : security.origins;
    const refused = refuse(headers, { ...security, origins });
    if (refused !== null) throw new NavigatorError("forbidden", refused.message);
    const session = await sessionOf(getCookie(c, SESSION_COOKIE), cookies);
    const given = c.req.header("authorization");
    if (
      given === undefined &&
      session !== null &&
      !SAFE_METHODS.has(c.req.method) &&
      !isCodec &&
      !sameText(c.req.header(CSRF_HEADER) ?? "", session.csrf)
    )
      throw new NavigatorError("forbidden", `A change needs the header ${CSRF_HEADER} of this session.`);
    if (session !== null) c.set("csrf", session.csrf);
    const credentials = given ?? (session === null ? undefined : `Bearer ${session.token}`);
    const caller = await callerOf(credentials, context, security);
    if (caller === null) {
      slowDown(strangers.take(getConnInfo(c).remote.address ?? ""));
      if (!isOpen(c.req.path))
        throw new NavigatorError(
          "unauthenticated",
          credentials === undefined ? "A bearer token is needed." : "The bearer token does not count.",
        );
    } else {
      slowDown(limiter.take(caller.id));
      if (!open.enter(caller.id, c))
        throw new NavigatorError(
          "too_many_requests",
          `At most ${MAX_OPEN_REQUESTS} requests of one caller are open at a time.`,
          {
            hint: "End streams that nobody reads.",
            details: { retry_after_s: 10 },
          },
        );
      c.set("caller", caller);
    }
    await next();
  };
}

async function sessionOf(cookie: string | undefined, cookies: SessionCookies) {
  return cookie === undefined ? null : cookies.open(cookie);
}

/** null: nobody whom the server lets in. @throws NavigatorError `service_unavailable` */
export async function callerOf(
  authorization: string | undefined,
  { people }: Pick<WebContext, "people">,
  security: WebSecurity,
): Promise<WebCaller | null> {
  const { localToken } = security;
  if (localToken !== null && authorization !== undefined && sameText(authorization, `Bearer ${localToken}`))
    return { id: "local", isLocal: true };
  const who = await authenticate(authorization, security, people);
  return "status" in who ? null : who.caller;
}

function slowDown(seconds: number): void {
  if (seconds === 0) return;
  throw new NavigatorError("too_many_requests", `Too many requests. The next one is let in after ${seconds} s.`, {
    details: { retry_after_s: seconds },
  });
}

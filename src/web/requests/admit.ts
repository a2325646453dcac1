import type { ServerResponse } from "node:http";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { NavigatorError } from "../../core/base/navigator-error";
import { authenticate, sameText } from "../../node/http/authenticate";
import { clientAddress } from "../../node/http/client-address";
import { refuse } from "../../node/http/guard";
import type { RateLimit, WebCaller, WebContext, WebEnv, WebSecurity } from "../context/context";
import { isCodecPath } from "./codec-requests";
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
/** A flood of one kind shuts out no other: a sender of webhooks, people with a link, and logins. */
function strangersKind(path: string): "hooks" | "links" | "login" | "others" {
  if (path.startsWith("/api/hooks/")) return "hooks";
  if (path.startsWith("/api/links/")) return "links";
  return path.startsWith("/api/session") ? "login" : "others";
}
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
    checkOrigin(c, security);
    const credentials = await credentialsOf(c, cookies);
    const caller = await callerOf(credentials, context, security);
    if (caller === null) {
      const connection = getConnInfo(c).remote.address ?? "";
      const address = clientAddress(connection, c.req.header("x-forwarded-for"), security.proxies);
      slowDown(strangers.take(`${strangersKind(c.req.path)} ${address}`));
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

function checkOrigin({ req }: Context<WebEnv>, security: WebSecurity): void {
  const { codecOrigins = [] } = security;
  const origins = isCodecPath(req.path) ? [...security.origins, ...codecOrigins] : security.origins;
  const refused = refuse(Object.fromEntries(req.raw.headers), { ...security, origins });
  if (refused !== null) throw new NavigatorError("forbidden", refused.message);
}

/** The token of the request, else that of the browser's session, whose changes need the text that only our page knows. */
async function credentialsOf(c: Context<WebEnv>, cookies: SessionCookies): Promise<string | undefined> {
  const cookie = getCookie(c, SESSION_COOKIE);
  const session = cookie === undefined ? null : await cookies.open(cookie);
  const given = c.req.header("authorization");
  if (session === null) return given;
  const isChange = !SAFE_METHODS.has(c.req.method) && !isCodecPath(c.req.path);
  if (given === undefined && isChange && !sameText(c.req.header(CSRF_HEADER) ?? "", session.csrf))
    throw new NavigatorError("forbidden", `A change needs the header ${CSRF_HEADER} of this session.`);
  c.set("csrf", session.csrf);
  return given ?? `Bearer ${session.token}`;
}

/** Identifies the caller; null: the server does not admit it. @throws NavigatorError `service_unavailable` */
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

/** Requests of one caller that may be open at a time: streams are open for long, and others need connections too. */
const MAX_OPEN_REQUESTS = 500;

/** The requests of each caller that have no whole answer yet. */
class OpenRequests {
  private readonly open = new Map<string, number>();

  constructor(private readonly most: number = MAX_OPEN_REQUESTS) {}

  /** false: the caller has too many open. A request that is let in counts until its connection has its answer, or is gone. */
  enter(caller: string, c: Context<WebEnv>): boolean {
    const n = this.open.get(caller) ?? 0;
    if (n >= this.most) return false;
    const { outgoing } = c.env as { outgoing?: ServerResponse };
    if (outgoing === undefined) return true;
    this.open.set(caller, n + 1);
    outgoing.once("close", () => {
      const left = (this.open.get(caller) ?? 1) - 1;
      if (left > 0) this.open.set(caller, left);
      else this.open.delete(caller);
    });
    return true;
  }
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Callers that are remembered. One that was forgotten begins with a full bucket. */
const MAX_CALLERS = 10_000;

/** A token bucket for each caller (web reference, section 3). */
class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: RateLimit,
    private readonly now: () => number = Date.now,
  ) {}

  /** 0: the request is let in. Otherwise after how many seconds, at least 1, the next one is. */
  take(caller: string): number {
    const { perSecond, burst } = this.limit;
    const at = this.now();
    const before = this.buckets.get(caller) ?? { tokens: burst, at };
    const tokens = Math.min(burst, before.tokens + ((at - before.at) / 1_000) * perSecond);
    // The least recently seen stand first, and are forgotten first.
    this.buckets.delete(caller);
    this.buckets.set(caller, { tokens: tokens >= 1 ? tokens - 1 : tokens, at });
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > MAX_CALLERS && oldest !== undefined) this.buckets.delete(oldest);
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}

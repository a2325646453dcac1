import type { MiddlewareHandler } from "hono";
import type { WebSecurity } from "../context/context";

/** Scripts, styles and requests are the server's own; nothing is inline, and no other page shows ours in a frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The headers of every answer (web reference, section 2). */
export function securityHeaders({ isSecure }: Pick<WebSecurity, "isSecure">): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const { headers } = context.res;
    headers.set("content-security-policy", POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("referrer-policy", "no-referrer");
    headers.set("cross-origin-opener-policy", "same-origin");
    headers.set("cross-origin-resource-policy", "same-origin");
    headers.set("x-frame-options", "DENY");
    headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()");
    if (isSecure) headers.set("strict-transport-security", "max-age=31536000");
  };
}

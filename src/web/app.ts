import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { NavigatorError } from "../core/base/navigator-error";
import { inCallersTrace } from "../node/telemetry/global-provider";
import type { WebApp, WebContext, WebEnv, WebSecurity } from "./context/context";
import { admit } from "./requests/admit";
import { codecCors, isCodecPath } from "./requests/codec-requests";
import { PROBLEM_TYPE, problemFor } from "./requests/problem";
import { securityHeaders } from "./requests/security-headers";

const MB = 1024 * 1024;
/** A body is at most as large as one of MCP. */
const MAX_BODY_BYTES = 4 * MB;
/** The Web UI sends the payloads of a page of a history at once, in base64. */
const MAX_CODEC_BYTES = 32 * MB;

/** An app without routes, which answers every error as a problem (web reference, section 3). */
export function webApp({ log }: Pick<WebContext, "log">): WebApp {
  const app = new Hono<WebEnv>();
  app.onError((error, context) => {
    const problem = problemFor(error);
    if (problem.code === "internal_error" && !(error instanceof NavigatorError))
      log.error("web_request_failed", { path: context.req.path, error: error.stack ?? error.message });
    const headers: { [name: string]: string } = { "content-type": PROBLEM_TYPE };
    if (problem.status === 401) headers["www-authenticate"] = "Bearer";
    const { retry_after_s } = problem.details ?? {};
    if (typeof retry_after_s === "number") headers["retry-after"] = String(retry_after_s);
    return context.body(JSON.stringify(problem), problem.status as 500, headers);
  });
  app.notFound((context) => {
    throw new NavigatorError("not_found", `There is nothing at ${context.req.method} ${context.req.path}.`, {
      hint: "The addresses are in /api/openapi.json.",
      details: { path: context.req.path, kind: "route" },
    });
  });
  return app;
}

/** What every request passes: the headers of every answer, and who is let in. */
export function protect(app: WebApp, context: WebContext, security: WebSecurity): void {
  app.use("*", securityHeaders(security));
  app.use("/api/*", noStore);
  app.use("/api/codec/*", codecCors(security));
  app.use("/api/*", admit(context, security));
  app.use("/api/*", ofCallersTrace);
  app.use("/api/*", noBodyOfStreams);
  const [limit, codecLimit] = [limitOf(MAX_BODY_BYTES), limitOf(MAX_CODEC_BYTES)];
  app.use("/api/*", (call, next) => (isCodecPath(call.req.path) ? codecLimit : limit)(call, next));
}

const limitOf = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new NavigatorError("payload_too_large", `A request has at most ${maxSize} bytes.`);
    },
  });

/** Hono answers HEAD by what GET does: a stream would go on for a reader who has left already. */
const noBodyOfStreams: MiddlewareHandler = async (context, next) => {
  if (context.req.method === "HEAD" && /\/(events|stream)$/.test(context.req.path)) return context.body(null, 200);
  await next();
};

/** What a request starts belongs to the trace that it comes from. */
const ofCallersTrace: MiddlewareHandler = ({ req }, next) =>
  inCallersTrace({ traceparent: req.header("traceparent"), tracestate: req.header("tracestate") }, next);

/** Answers are for their caller. One with an ETag is asked for again, and not sent again if it is the same. */
const noStore: MiddlewareHandler = async (context, next) => {
  await next();
  if (!context.res.headers.has("cache-control")) context.res.headers.set("cache-control", "private, no-cache");
};

import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { JsonObject } from "../core/base/json";
import { NavigatorError, thrownText } from "../core/base/navigator-error";
import { SharedReads } from "../node/streams/shared-reads";
import { inCallersTrace } from "../node/telemetry/global-provider";
import { a2aRoutes } from "./a2a/routes";
import type { WebApp, WebContext, WebEnv, WebSecurity } from "./context/context";
import { MissionTails } from "./events/mission-tail";
import { healthRoutes } from "./monitoring/health";
import { metricsRoutes } from "./monitoring/metrics-routes";
import { RequestCounts } from "./monitoring/request-counts";
import { type DescribedOperation, openApiDocument } from "./openapi/document";
import { admit } from "./requests/admit";
import { codecCors, isCodecPath } from "./requests/codec-requests";
import { PROBLEM_TYPE, problemFor } from "./requests/problem";
import { scoped } from "./requests/scoped";
import { agentEndpoints } from "./routes/agents";
import { chatEndpoints } from "./routes/chats";
import { codecEndpoints } from "./routes/codec";
import { costsEndpoint } from "./routes/costs";
import { register } from "./routes/endpoint";
import { eventRoutes } from "./routes/events";
import { agUiRoutes } from "./routes/fronts/ag-ui";
import { uiChatRoutes } from "./routes/fronts/ui-chat";
import { graphEndpoints } from "./routes/graphs";
import { hookRoutes } from "./routes/hooks";
import { decisionEndpoints } from "./routes/inbox/decisions";
import { inboxEndpoints } from "./routes/inbox/inbox";
import { linkEndpoints } from "./routes/inbox/link-reviews";
import { countMissionsEndpoint, listMissionsEndpoint } from "./routes/missions";
import { listModelsEndpoint } from "./routes/models";
import { oidcRoutes } from "./routes/oidc";
import { OTHER_OPERATIONS } from "./routes/other-operations";
import { pageRoutes } from "./routes/page";
import { planEndpoints } from "./routes/plans";
import { playgroundEndpoints } from "./routes/playground";
import { queueEndpoints } from "./routes/queue";
import { runActionEndpoints } from "./routes/run-actions";
import { ledgerFileRoute, runEndpoints } from "./routes/runs";
import { sessionRoutes } from "./routes/session";
import { taskEndpoints } from "./routes/tasks";

/** All endpoints of the API, in the order of its document. */
const ENDPOINTS = [
  listMissionsEndpoint,
  countMissionsEndpoint,
  ...runEndpoints,
  ...runActionEndpoints,
  ...inboxEndpoints,
  ...decisionEndpoints,
  ...linkEndpoints,
  ...agentEndpoints,
  listModelsEndpoint,
  ...chatEndpoints,
  ...playgroundEndpoints,
  ...graphEndpoints,
  ...taskEndpoints,
  ...planEndpoints,
  ...queueEndpoints,
  costsEndpoint,
  ...codecEndpoints,
];

/** What the document describes: all endpoints, and what answers with something else than JSON. */
export const OPERATIONS: readonly DescribedOperation[] = [...ENDPOINTS, ...OTHER_OPERATIONS];

/** The whole app: who is let in, the API, and the page. */
export function navigatorApp(context: WebContext, security: WebSecurity): { app: WebApp; close: () => Promise<void> } {
  const app = webApp(context);
  const tails = new MissionTails(
    async () => (await context.backend()).client.temporal,
    (error) => context.log.warn("mission_not_followed", { error: thrownText(error) }),
  );
  const reads = new SharedReads(context.streams);
  const requests = new RequestCounts();
  app.use("*", requests.counted);
  protect(app, context, security);
  for (const one of ENDPOINTS) register(app, context, one);
  sessionRoutes(app, context, security);
  oidcRoutes(app, context, security);
  eventRoutes(app, context, { tails, reads });
  agUiRoutes(app, context, { tails, reads, streams: context.streams });
  uiChatRoutes(app, context, { tails, reads, streams: context.streams });
  a2aRoutes(app, context, security, { tails, reads, streams: context.streams });
  hookRoutes(app, context);
  ledgerFileRoute(app, context);
  healthRoutes(app, context);
  metricsRoutes(app, context, { tails, requests });
  let document: JsonObject | undefined;
  app.get("/api/openapi.json", (c) => {
    document ??= openApiDocument(OPERATIONS, context.version);
    return c.json(document);
  });
  // Last: what is no part of the API is a place in the page.
  pageRoutes(app, context);
  return { app, close: async () => tails.close() };
}

const MB = 1024 * 1024;
/** A body is at most as large as one of MCP. */
const MAX_BODY_BYTES = 4 * MB;
/** The Web UI sends the payloads of a page of a history at once, in base64. */
const MAX_CODEC_BYTES = 32 * MB;

/** An app without routes, which answers every error as a problem (web reference, section 3). */
function webApp({ log }: Pick<WebContext, "log">): WebApp {
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
function protect(app: WebApp, context: WebContext, security: WebSecurity): void {
  app.use("*", securityHeaders(security));
  app.use("/api/*", noStore);
  app.use("/api/codec/*", codecCors(security));
  const rules = scoped(OPERATIONS);
  app.use("/api/*", admit(context, security));
  app.use("/api/*", rules);
  app.use("/api/*", ofCallersTrace);
  app.use("/api/*", noBodyOfStreams);
  app.use("/metrics", admit(context, security));
  app.use("/metrics", rules);
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

/** Hono answers HEAD by what GET does: a stream would continue for a reader who has left already. */
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
function securityHeaders({ isSecure }: Pick<WebSecurity, "isSecure">): MiddlewareHandler {
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

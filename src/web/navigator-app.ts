import type { JsonObject } from "../core/base/json";
import { SharedReads } from "../node/streams/shared-reads";
import { a2aRoutes } from "./a2a/routes";
import { protect, webApp } from "./app";
import type { WebApp, WebContext, WebSecurity } from "./context/context";
import { MissionTails } from "./events/mission-tail";
import { healthRoutes } from "./monitoring/health";
import { metricsRoutes } from "./monitoring/metrics-routes";
import { RequestCounts } from "./monitoring/request-counts";
import { type DescribedOperation, openApiDocument } from "./openapi/document";
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
    (error) =>
      context.log.warn("mission_not_followed", { error: error instanceof Error ? error.message : String(error) }),
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
  metricsRoutes(app, context, security, { tails, requests });
  let document: JsonObject | undefined;
  app.get("/api/openapi.json", (c) => {
    document ??= openApiDocument(OPERATIONS, context.version);
    return c.json(document);
  });
  // Last: what is no part of the API is a place in the page.
  pageRoutes(app, context);
  return { app, close: async () => tails.close() };
}

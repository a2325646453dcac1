import type { Context, Hono } from "hono";
import { NavigatorError } from "../../core/base/navigator-error";
import { refuse } from "../../node/http/guard";
import type { WebContext, WebEnv, WebSecurity } from "../context/context";
import type { ConversationSources } from "../events/conversation-feed";
import { A2A_PATH } from "./agent-card";
import type { A2aServer } from "./serve";

/** Where clients look for the card, before they are let in. */
const CARD_PATH = "/.well-known/agent-card.json";

/**
 * A2A 1.0 (web reference, section 14): the card, JSON-RPC at `/api/a2a`, and HTTP+JSON below it. Clients of 0.3, which send no version,
 * are understood over JSON-RPC. The SDK is loaded with the first request.
 */
export function a2aRoutes(
  app: Hono<WebEnv>,
  web: WebContext,
  security: WebSecurity,
  sources: ConversationSources,
): void {
  let server: Promise<A2aServer> | undefined;
  const by = (kind: keyof A2aServer) => async (c: Context<WebEnv>) => {
    server ??= import("./serve").then(({ a2aServer }) => a2aServer(web, security, sources));
    return (await server)[kind](c);
  };
  app.get(CARD_PATH, (c) => {
    const refused = refuse(Object.fromEntries(c.req.raw.headers), security);
    if (refused !== null) throw new NavigatorError("forbidden", refused.message);
    return by("card")(c);
  });
  app.post(A2A_PATH, by("rpc"));
  app.post(`${A2A_PATH}/`, by("rpc"));
  app.all(`${A2A_PATH}/*`, by("rest"));
}

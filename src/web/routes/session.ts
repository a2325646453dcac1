import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { hasPeople } from "../../core/review/people/people-file";
import type { WebApp, WebCaller, WebContext, WebSecurity } from "../context/context";
import { callerOf } from "../requests/admit";
import { SESSION_COOKIE, SessionCookies, sessionCookieOptions } from "../requests/session-cookie";
import { readBody } from "./endpoint";

/** Who the page's person is, and what the server is: the first thing that the page asks. */
export const WebSession = z
  .object({
    /** Send it as `x-navigator-csrf` with each request that changes something. */
    csrf: z.string(),
    /** The person, as people.yaml has it; null: nobody of the project. */
    person: z.string().nullable(),
    /** Whether the project has people. Without them, names are taken as they are given. */
    has_people: z.boolean(),
    /** Why the person may decide nothing here, and what helps. */
    problem: z.string().optional(),
    hint: z.string().optional(),
  })
  .meta({ id: "Session" });
export type WebSession = z.infer<typeof WebSession>;

/** How a session begins. */
export const Token = z.object({ token: z.string().min(1).max(10_000) });

/** Sessions of browsers: a token is exchanged for a cookie (web reference, section 2). */
export function sessionRoutes(app: WebApp, web: WebContext, security: WebSecurity): void {
  const cookies = new SessionCookies(security.home);
  const cookieOptions = sessionCookieOptions(security);

  app.post("/api/session", async (c) => {
    const { token } = await readBody(c, Token);
    const caller = await callerOf(`Bearer ${token}`, web, security);
    if (caller === null) throw new NavigatorError("unauthenticated", "The token does not count.");
    const { cookie, csrf } = await cookies.seal(token);
    setCookie(c, SESSION_COOKIE, cookie, cookieOptions);
    return c.json(sessionOf(web, caller, csrf), 201);
  });

  app.get("/api/session", async (c) => {
    const caller = c.get("caller");
    if (caller === undefined)
      throw new NavigatorError("unauthenticated", "There is no session.", {
        hint: "On the server's machine, the file mission-control.token in the project's .navigator logs you in. A token of your own: navigator token create NAME",
        details: { oidc: web.project.oidc !== undefined },
      });
    return c.json(sessionOf(web, caller, c.get("csrf") ?? ""));
  });

  app.delete("/api/session", async (c) => {
    await cookies.end(getCookie(c, SESSION_COOKIE) ?? "");
    deleteCookie(c, SESSION_COOKIE, { path: "/" });
    return c.body(null, 204);
  });
}

function sessionOf(web: WebContext, caller: WebCaller, csrf: string): WebSession {
  const has_people = hasPeople(web.people());
  const signer = has_people ? web.signerOf(caller) : null;
  if (signer !== null && "nobody" in signer)
    return { csrf, person: caller.person ?? null, has_people, problem: signer.nobody, hint: signer.hint };
  return { csrf, person: signer?.person ?? null, has_people };
}

import { NO_PEOPLE } from "../../../src/core/review/people/people-file";
import { type ProxyTrust, proxyTrust } from "../../../src/node/http/client-address";
import { SCOPE_NAMES, type Scope } from "../../../src/node/identity/scopes";
import { createLogger } from "../../../src/node/log";
import type { WebContext, WebSecurity } from "../../../src/web/context/context";
import { navigatorApp, OPERATIONS } from "../../../src/web/navigator-app";
import { temporaryFolder } from "../../support/environment";

/** The door of Mission Control, without a server behind it: who may send what. */

const home = temporaryFolder("door");
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  home.remove();
});

const context = {
  backend: async () => {
    throw new Error("behind the door");
  },
  project: { agents: {} },
  people: () => NO_PEOPLE,
  signerOf: () => ({ nobody: "nobody", hint: "" }),
  streams: {},
  log: { ...createLogger("error"), error: () => {}, warn: () => {} },
  version: "0.0.0",
  pageFolder: null,
} as unknown as WebContext;

function open(more: Partial<WebSecurity> = {}) {
  const { app, close } = navigatorApp(context, {
    ...{ hosts: ["127.0.0.1"], origins: [], token: null, anonymous: false, home: home.path, localToken: "local" },
    ...{ rateLimit: { perSecond: 1e6, burst: 1e6 }, strangerLimit: { perSecond: 1e6, burst: 1e6 }, isSecure: false },
    findToken: (text) => {
      if (!text.startsWith("service:")) return null;
      const scopes = text.slice("service:".length).split(",").filter(Boolean) as Scope[];
      return { owner: "ci", kind: "service", ...(scopes.length > 0 && { scopes }) };
    },
    ...more,
  });
  closing.push(close);
  return {
    routes: app.routes,
    async send(
      method: string,
      path: string,
      headers: { [name: string]: string } = {},
      body?: object,
      from = "203.0.113.9",
    ) {
      const init = { method, headers: { host: "127.0.0.1", ...headers }, ...(body && { body: JSON.stringify(body) }) };
      const env = { incoming: { socket: { remoteAddress: from, remotePort: 1, remoteFamily: "IPv4" } } };
      return app.request(`http://127.0.0.1${path}`, init, env);
    },
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const codeOf = async (response: Response) => ((await response.json().catch(() => ({}))) as { code?: string }).code;

describe("scopes", () => {
  const door = open();
  const closed = OPERATIONS.filter(({ needs }) => needs.length > 0);
  const pathOf = (path: string) => path.replace(/\{\w+\}/g, "x");

  test("every operation lets in the tokens with its scopes, and no other", async () => {
    expect(closed.length).toBeGreaterThan(55);
    for (const { method, path, needs } of closed) {
      for (const scope of SCOPE_NAMES) {
        const response = await door.send(
          method.toUpperCase(),
          pathOf(path),
          bearer(`service:${scope}`),
          method === "get" ? undefined : {},
        );
        const isLetIn = !(response.status === 403 && /lacks the scope/.test(await response.text()));
        expect({ path, method, scope, isLetIn }).toEqual({
          path,
          method,
          scope,
          isLetIn: needs.every((one) => one === scope),
        });
      }
      const all = await door.send(
        method.toUpperCase(),
        pathOf(path),
        bearer(`service:${needs.join(",")}`),
        method === "get" ? undefined : {},
      );
      expect([path, all.status]).not.toEqual([path, 403]);
    }
  });

  test("a token of a service without scopes may read the metrics, and nothing else", async () => {
    for (const { method, path, needs } of closed) {
      const { status } = await door.send(
        method.toUpperCase(),
        pathOf(path),
        bearer("service:"),
        method === "get" ? undefined : {},
      );
      expect([path, status === 403]).toEqual([path, needs[0] !== "metrics"]);
    }
  });

  test("every route of the API stands in the table that has the scopes", () => {
    const known = new Set(
      OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    const below = OPERATIONS.filter((one) => one.below).map(({ path }) => path);
    const routes = door.routes.filter(({ path, method }) => path.startsWith("/api/") && method !== "ALL");
    expect(routes.length).toBeGreaterThan(60);
    const missing = routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !known.has(route) && !below.some((path) => route.split(" ")[1]?.startsWith(path)));
    // Where a browser logs in: nobody has a token yet.
    expect([...new Set(missing)]).toEqual(["GET /api/session/oidc", "GET /api/session/oidc/callback"]);
  });

  test("a path that the table lacks needs a token without scopes", async () => {
    expect((await door.send("GET", "/api/nothing", bearer("service:read"))).status).toBe(403);
    expect((await door.send("GET", "/api/nothing", bearer("local"))).status).toBe(404);
  });
});

test("a session ends on the server when its browser logs out: a copy of the cookie counts no more", async () => {
  const door = open();
  const login = async () => {
    const answer = await door.send("POST", "/api/session", {}, { token: "local" });
    const cookie = String(answer.headers.get("set-cookie")).split(";")[0] as string;
    return { cookie, "x-navigator-csrf": ((await answer.json()) as { csrf: string }).csrf };
  };
  const [one, other] = [await login(), await login()];
  expect((await door.send("GET", "/api/session", one)).status).toBe(200);
  expect((await door.send("DELETE", "/api/session", one)).status).toBe(204);
  expect((await door.send("GET", "/api/session", one)).status).toBe(401);
  expect((await open().send("GET", "/api/session", one)).status).toBe(401);
  expect((await door.send("GET", "/api/session", other)).status).toBe(200);
});

describe("strangers", () => {
  const limit = { strangerLimit: { perSecond: 0.001, burst: 2 } };
  const ask = (door: ReturnType<typeof open>, path: string, headers = {}, from?: string) =>
    door.send("POST", path, headers, {}, from).then(codeOf);

  test("a flood of one kind shuts out no other", async () => {
    const door = open(limit);
    for (let n = 0; n < 4; n++) await ask(door, "/api/hooks/none");
    expect(await ask(door, "/api/hooks/none")).toBe("too_many_requests");
    for (const path of ["/api/links/review", "/api/session", "/api/graphs"])
      expect([path, await ask(door, path)]).not.toEqual([path, "too_many_requests"]);
  });

  test("behind a trusted proxy each client has its own limit; nobody chooses one by a header", async () => {
    const door = open({ ...limit, proxies: proxyTrust(["10.0.0.7"]) as ProxyTrust });
    const as = (client: string, from: string) => ask(door, "/api/session", { "x-forwarded-for": client }, from);
    for (let n = 0; n < 3; n++) await as("198.51.100.1", "10.0.0.7");
    expect(await as("198.51.100.1", "10.0.0.7")).toBe("too_many_requests");
    expect(await as("198.51.100.2", "10.0.0.7")).not.toBe("too_many_requests");
    for (let n = 0; n < 3; n++) await as(`198.51.100.${n + 50}`, "203.0.113.9");
    expect(await as("198.51.100.99", "203.0.113.9")).toBe("too_many_requests");
  });
});

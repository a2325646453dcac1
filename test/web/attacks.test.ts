import { once } from "node:events";
import { connect } from "node:net";
import type { Answer } from "../support/mcp/client";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Who must not get in, and what must not get through (web reference, section 2): real HTTP, and raw sockets where a client would not do it. */

let control: MissionControl;
beforeAll(async () => {
  control = await openMissionControl();
});
afterAll(() => control?.stop());

interface Operation {
  method: string;
  path: string;
}

/** Every operation of the API, with something in each place of its path. */
async function operations(): Promise<Operation[]> {
  const document = await bodyOf(await fetch(`${control.url}/api/openapi.json`));
  // Whether the process lives, and a worker is there, is told to anybody, without details.
  // The card of A2A is public, as the protocol wants it.
  const { "/healthz": _health, "/readyz": _ready, "/.well-known/agent-card.json": _card, ...paths } = document.paths;
  return Object.entries(paths as { [path: string]: object }).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{[^}]+\}/g, "x"),
    })),
  );
}

/** These are open before anybody has logged in. Each checks the token, the link or the signature of the body; the document needs none. */
const isOpen = ({ method, path }: Operation): boolean =>
  path === "/api/openapi.json" ||
  (path === "/api/session" && method !== "GET") ||
  path.startsWith("/api/links/") ||
  path.startsWith("/api/hooks/");

const body = ({ method }: Operation) => (method === "GET" ? {} : { body: "{}" });

test("no operation answers without a token, with a wrong one, or with one of another scheme", async () => {
  const all = (await operations()).filter((one) => !isOpen(one));
  expect(all.length).toBeGreaterThan(20);
  for (const one of all)
    for (const authorization of [
      undefined,
      "Bearer wrong",
      `Basic ${control.token}`,
      "Bearer",
      `bearer  ${control.token}x`,
    ]) {
      const response = await fetch(`${control.url}${one.path}`, {
        method: one.method,
        headers: { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) },
        ...body(one),
      });
      expect([one, authorization, response.status]).toEqual([one, authorization, 401]);
      expect((await bodyOf(response)).code).toBe("unauthenticated");
    }
});

/** What a browser has that is logged in. */
async function session(): Promise<{ cookie: string; csrf: string }> {
  const response = await fetch(`${control.url}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: control.token }),
  });
  const cookie = response.headers.getSetCookie()[0] ?? "";
  expect(cookie).toMatch(/; HttpOnly(;|$)/i);
  expect(cookie).toMatch(/; SameSite=Strict(;|$)/i);
  return { cookie: cookie.split(";")[0] as string, csrf: (await bodyOf(response)).csrf };
}

test("a page of another origin gets in with no operation, though the browser is logged in", async () => {
  const { cookie, csrf } = await session();
  for (const one of await operations())
    for (const origin of [
      "https://elsewhere.example",
      "null",
      `${control.url}.elsewhere.example`,
      "http://127.0.0.1:1",
    ]) {
      const response = await fetch(`${control.url}${one.path}`, {
        method: one.method,
        headers: { cookie, origin, "x-navigator-csrf": csrf, "content-type": "application/json" },
        ...body(one),
      });
      expect([one, origin, response.status]).toEqual([one, origin, 403]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
});

test("a session changes nothing without the text that only its own page can read", async () => {
  const { cookie, csrf } = await session();
  const other = (await session()).csrf;
  // The codec changes nothing, and is asked from the Web UI, too, which has no such text; other pages are refused (above).
  const changes = (await operations()).filter(
    ({ method, path }) => method !== "GET" && !path.startsWith("/api/codec/"),
  );
  for (const one of changes)
    for (const text of [undefined, "", "wrong", other]) {
      const response = await fetch(`${control.url}${one.path}`, {
        method: one.method,
        headers: {
          cookie,
          "content-type": "application/json",
          ...(text === undefined ? {} : { "x-navigator-csrf": text }),
        },
        body: "{}",
      });
      expect([one, text, response.status]).toEqual([one, text, 403]);
    }
  const own = await fetch(`${control.url}/api/session`, { headers: { cookie } });
  expect([own.status, (await bodyOf(own)).csrf]).toEqual([200, csrf]);
});

test("a cookie that was changed, or is of another server, is no session", async () => {
  const { cookie } = await session();
  const [head, ...rest] = cookie.split(".");
  const changed = [
    `${cookie}x`,
    [head, ...rest.slice(0, -1), "AAAA"].join("."),
    "navigator_session=eyJhbGciOiJub25lIn0..a.b.c",
  ];
  for (const one of changed)
    expect((await fetch(`${control.url}/api/missions`, { headers: { cookie: one } })).status).toBe(401);
});

test("a host name that is not the server's own is refused: another name may lead to this machine", async () => {
  for (const host of ["elsewhere.example", "127.0.0.1.elsewhere.example", "localhost@elsewhere.example", ""]) {
    const answer = await raw(`GET /api/openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  }
});

test("no path leads to a file that is not the page's", async () => {
  const paths = [
    "/../../etc/passwd",
    "/assets/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/assets/..%2f..%2f..%2fpackage.json",
    "/assets/..%5c..%5cpackage.json",
    "//etc/passwd",
    "/file:///etc/passwd",
    "/assets/%00/../index.html",
    "/.env",
    "/package.json",
    "/assets/",
    "/src/main.tsx",
  ];
  for (const path of paths) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    expect(answer).not.toMatch(/root:|"dependencies"|navigator-agents/);
    // A place of the page, which says that it does not know it, or a problem.
    expect(answer).toMatch(/^HTTP\/1\.1 (200 OK[\s\S]*<title>Mission Control<\/title>|40[04] )/);
  }
});

test("a body that is too large is refused, whether or not it says how large it is", async () => {
  const declared = await control.fetch("/api/session", { method: "POST", body: "x".repeat(5 * 1024 * 1024) });
  expect([declared.status, (await bodyOf(declared)).code]).toEqual([413, "payload_too_large"]);
  const part = `100000\r\n${"x".repeat(0x100000)}\r\n`;
  const streamed = await raw(
    `POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n${part.repeat(5)}0\r\n\r\n`,
  );
  expect(streamed).toMatch(/^HTTP\/1\.1 413 /);
  expect((await control.fetch("/api/session")).status).toBe(200);
});

test("a body that is no JSON, or of another shape, is refused with what was expected", async () => {
  for (const text of ["", "{", "[]", "null", '"x"', '{"token":1}', '{"__proto__":{"token":"x"}}']) {
    const response = await control.fetch("/api/session", { method: "POST", body: text });
    expect([text, response.status, (await bodyOf(response)).code]).toEqual([text, 400, "invalid_input"]);
  }
});

test.each(["missions", "tasks", "plans", "inbox"])(
  "a page of %s that no page before has named is refused",
  async (list) => {
    const response = await control.fetch(`/api/${list}?page=garbage`);
    const { code, detail } = await bodyOf(response);
    expect([response.status, code, detail]).toEqual([400, "invalid_input", expect.stringMatching(/^That is no page/)]);
  },
);

test("a client that sends its request too slowly is cut off, and others are answered meanwhile", async () => {
  const slow = [
    "GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
  ];
  const impatient = await openMissionControl({ page: false, patience: { headersMs: 300, requestMs: 600 } });
  try {
    const ended = Promise.all(slow.map((beginning) => raw(beginning, impatient)));
    expect((await impatient.fetch("/api/session")).status).toBe(200);
    // Node answers 408, or closes the connection.
    for (const answer of await ended) expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  } finally {
    await impatient.stop();
  }
});

test("callers who are too fast are told how long to wait, each for themselves", async () => {
  const limited = await openMissionControl({ page: false, rateLimit: { perSecond: 1, burst: 3 } });
  try {
    for (const token of [limited.token, null]) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => limited.fetch("/api/session", { token })));
      const refused = answers.find(({ status }) => status === 429) as Response;
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect((await bodyOf(refused)).code).toBe("too_many_requests");
    }
  } finally {
    await limited.stop();
  }
});

test("every answer forbids scripts from elsewhere, frames, and guessing of types", async () => {
  for (const path of ["/", "/missions/x", "/api/openapi.json", "/api/missions", "/nothing.txt"]) {
    const { headers } = await control.fetch(path, { token: null });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

const bodyOf = (response: Response) => response.json() as Promise<Answer>;

/** What the server answers to these bytes, until it closes the connection. */
async function raw(bytes: string, { url }: Pick<MissionControl, "url"> = control): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    answer += part;
  });
  // It was cut off while it still sent.
  socket.on("error", () => {});
  socket.write(bytes);
  await once(socket, "close");
  return answer;
}

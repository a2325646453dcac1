import { ToolFailure, ToolRetry } from "../../../src/tools";
import { type Answer, json, type OpenedService, openService, plain, Service, SHOP } from "./service";

/** What comes back, and what does not. */

const service = new Service();
const elsewhere = new Service();
let shop: OpenedService;
/** The same, for answers that do not come. */
let hasty: OpenedService;
beforeAll(async () => {
  await Promise.all([service.start(), elsewhere.start()]);
  const settings = { openapi: SHOP, baseUrl: service.url, auth: { token: `\${SHOP_TOKEN}` } };
  const env = { SHOP_TOKEN: "tok-12345678" };
  shop = await openService(settings, env);
  hasty = await openService({ ...settings, timeout: "3s" }, env);
});
afterAll(() => Promise.all([service.close(), elsewhere.close()]));

const read = (by = shop) => by.call("shop_get_orders_id", { id: 1 });
const write = (by = shop) => by.call("shop_deleteOrder", { id: 1 });
const create = () => shop.call("shop_createOrder", { sku: "a" });
const hangUp: Answer = (response) => void response.socket?.destroy();
const never: Answer = () => {};

test.each<{ it: string; answer: Answer; value: unknown }>([
  { it: "JSON", answer: json({ a: [1, null] }), value: { a: [1, null] } },
  {
    it: "JSON of another name",
    answer: plain(200, { "content-type": "application/hal+json; charset=utf-8" }, "[1]"),
    value: [1],
  },
  { it: "text", answer: plain(200, { "content-type": "text/csv" }, "a,b\nü"), value: "a,b\nü" },
  { it: "text without a type", answer: plain(200, {}, "ok"), value: "ok" },
  { it: "nothing", answer: plain(204), value: null },
  { it: "nothing that says it is JSON", answer: plain(200, { "content-type": "application/json" }), value: null },
  {
    it: "a file",
    answer: plain(200, { "content-type": "application/pdf; x=1" }, "%PDF"),
    value: { type: "binary", mimeType: "application/pdf", bytes: 4 },
  },
  {
    it: "the secret, which is taken out",
    answer: json({ you: "sent Bearer tok-12345678", "tok-12345678": 1 }),
    value: { you: "sent Bearer [secret SHOP_TOKEN]", "[secret SHOP_TOKEN]": 1 },
  },
])("$it is a result", async ({ answer, value }) => {
  service.reset(answer);
  expect(await read()).toEqual(value);
});

test.each<{ it: string; answer: Answer; message: RegExp; details: object }>([
  {
    it: "a refusal",
    answer: json({ error: "no such order" }, 404),
    message: /^GET \/orders\/\{id\}: 404 Not Found: \{"error":"no such order"\}$/,
    details: { code: "http_error", status: 404 },
  },
  {
    it: "a busy service that says nothing more",
    answer: plain(503),
    message: /: 503 Service Unavailable$/,
    details: { status: 503 },
  },
  {
    it: "a long page",
    answer: plain(500, {}, "x".repeat(5_000)),
    message: /: x{500}\.\.\.$/,
    details: { status: 500 },
  },
  {
    it: "a refusal that repeats the secret",
    answer: plain(401, {}, "bad token tok-12345678"),
    message: /: 401 Unauthorized: bad token \[secret SHOP_TOKEN\]$/,
    details: { status: 401 },
  },
  {
    it: "JSON that is none",
    answer: plain(200, { "content-type": "application/json" }, "<html>"),
    message: /is marked as JSON and is not/,
    details: { code: "invalid_result" },
  },
  {
    it: "more than there may be",
    answer: (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      for (let i = 0; i < 60; i++) response.write("x".repeat(100_000));
      response.end();
    },
    message: /larger than 3800000 bytes/,
    details: { code: "result_too_large" },
  },
])("$it is an error", async ({ answer, message, details }) => {
  service.reset(answer);
  const error = await read().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolFailure);
  expect(error).toMatchObject({ message: expect.stringMatching(message), details });
});

test.each([429, 503])("%i with Retry-After asks for a retry at that time", async (status) => {
  service.reset(plain(status, { "retry-after": "2" }));
  for (const call of [read, write]) {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolRetry);
    expect(error).toMatchObject({ after_ms: 2_000 });
  }
});

describe("a call without an answer", () => {
  test.each<{ it: string; answer: Answer; problem: RegExp }>([
    { it: "no answer in time", answer: never, problem: /no answer within 2700 ms/ },
    {
      it: "a connection that breaks",
      answer: hangUp,
      problem: /fetch failed: (other side closed|read ECONNRESET)|terminated/,
    },
  ])("$it: the outcome of a write is unknown", async ({ answer, problem }) => {
    service.reset(answer);
    const error = await write(answer === never ? hasty : shop).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^the outcome is unknown: DELETE .* The effect may have happened\.$/),
      details: { code: "unknown_outcome" },
    });
    expect((error as Error).message).toMatch(problem);
  });

  test("a read with a broken connection may be retried; a slow one is an error", async () => {
    service.reset(hangUp);
    await expect(read()).rejects.toBeInstanceOf(ToolRetry);
    service.reset(never);
    await expect(read(hasty)).rejects.toMatchObject({ details: { code: "timeout" } });
  });

  test("an unreachable service did nothing: even a write may be retried", async () => {
    const gone = await new Service().start();
    const settings = { openapi: SHOP, baseUrl: gone.url };
    await gone.close();
    const { call } = await openService(settings);
    await expect(call("shop_deleteOrder", { id: 1 })).rejects.toMatchObject({
      name: "ToolRetry",
      message: expect.stringMatching(/^DELETE \/orders\/\{id\}: fetch failed: connect ECONNREFUSED/),
    });
  });

  test("a cancelled call ends as cancelled", async () => {
    const controller = new AbortController();
    // When the service has the call, so that it is not heard behind the next test.
    service.reset(() => controller.abort(new Error("enough")));
    const call = shop.call("shop_deleteOrder", { id: 1 }, { signal: controller.signal });
    await expect(call).rejects.toThrow("enough");
  });
});

describe("redirects", () => {
  test("inside the service they are followed, with method and body", async () => {
    service.reset(plain(307, { location: "/v2/orders" }), json({ id: 5 }));
    expect(await create()).toEqual({ id: 5 });
    expect(service.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["POST", "/orders", '{"sku":"a"}'],
      ["POST", "/v2/orders", '{"sku":"a"}'],
    ]);
  });

  test("303 after a write is followed by a read", async () => {
    service.reset(plain(303, { location: "/orders/5" }), json({ id: 5 }));
    expect(await create()).toEqual({ id: 5 });
    expect(service.last).toMatchObject({ method: "GET", url: "/orders/5", body: "" });
  });

  test("to another host they are not followed: it would get the credentials", async () => {
    elsewhere.reset(json("stolen"));
    service.reset(plain(302, { location: `${elsewhere.url}/orders` }));
    await expect(read()).rejects.toThrow(`GET /orders/{id}: it redirects to ${elsewhere.url}, which is not followed`);
    expect(elsewhere.seen).toEqual([]);
  });

  test.each<{ it: string; status: number; call: () => Promise<unknown>; location: string; problem: string }>([
    { it: "for ever", status: 302, call: read, location: "/orders/1", problem: "it redirects more than 5 times" },
    {
      it: "of a write that would become a read",
      status: 302,
      call: create,
      location: "/a",
      problem: "it redirects a POST with 302",
    },
    { it: "to nowhere", status: 302, call: read, location: "http://", problem: "it redirects to nowhere" },
  ])("$it they are not followed", async ({ status, call, location, problem }) => {
    service.reset(plain(status, { location }));
    await expect(call()).rejects.toThrow(problem);
  });
});

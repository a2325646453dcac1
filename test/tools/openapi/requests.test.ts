import type { Json } from "../../../src/core/base/json";
import type { Parameter } from "../../../src/tools/openapi/operation";
import { headerText, pathText, queryPairs } from "../../../src/tools/openapi/request";
import { json, type OpenedService, openService, Service, SHOP } from "./service";

/** What is sent. */

const service = new Service();
let shop: OpenedService;
beforeAll(async () => {
  await service.start();
  shop = await openService(
    {
      openapi: SHOP,
      baseUrl: `${service.url}/v1/`,
      headers: { "X-Tenant": "anna" },
      auth: { token: `\${SHOP_TOKEN}`, basic: "anna:secret-word", query_key: "q-key-1", cookie_key: "c-key-1" },
    },
    { SHOP_TOKEN: "tok-12345678" },
  );
});
beforeEach(() => service.reset(json({ id: 1 })));
afterAll(() => service.close());

test("a read has query, headers and credentials, and no idempotency key", async () => {
  await shop.call("shop_listOrders", {
    status: ["open", "paid"],
    ids: [1, 2],
    filter_since: "2026-01-01",
    where: { total: { gt: 5 }, tags: ["a b"] },
    X_Request_ID: "r-1",
  });
  expect(service.last).toMatchObject({
    method: "GET",
    url: "/v1/orders?status=open&status=paid&ids=1,2&filter%5Bsince%5D=2026-01-01&where%5Btotal%5D%5Bgt%5D=5&where%5Btags%5D%5B%5D=a%20b",
    headers: { authorization: "Bearer tok-12345678", "x-tenant": "anna", "x-request-id": "r-1", accept: /json/ },
    body: "",
  });
  expect(service.last.headers).not.toHaveProperty("idempotency-key");
  expect(service.last.headers).not.toHaveProperty("content-type");
});

test("for a write the fields become the body, and the key is sent", async () => {
  await shop.call(
    "shop_createOrder",
    { sku: "a", status: null, parent: { sku: "b" } },
    { idempotencyKey: "agent/a/1" },
  );
  expect(service.last).toMatchObject({
    method: "POST",
    url: "/v1/orders",
    headers: { "idempotency-key": "agent/a/1", "content-type": "application/json" },
  });
  expect(JSON.parse(service.last.body)).toEqual({ sku: "a", parent: { sku: "b" } });
});

test("a field and a parameter with one name are distinguished; nil stays if it is a value", async () => {
  await shop.call("shop_changeOrder", { id: 7, body_id: "x", note: null, total: null });
  expect(service.last).toMatchObject({ method: "PATCH", url: "/v1/orders/7" });
  expect(service.last.headers["content-type"]).toBe("application/merge-patch+json");
  expect(JSON.parse(service.last.body)).toEqual({ id: "x", note: null });
});

test("an optional body is left out", async () => {
  await shop.call("shop_changeOrder", { id: 7 });
  expect(service.last.body).toBe("");
  expect(service.last.headers).not.toHaveProperty("content-type");
});

test("a body that is not an object is one argument; path parameters are encoded", async () => {
  await shop.call("shop_tagOrder", { id: 7, tag: "a/b ?", body: ["x"] });
  expect(service.last).toMatchObject({ method: "PUT", url: "/v1/orders/7/tags/a%2Fb%20%3F", body: '["x"]' });
});

test("a form", async () => {
  await shop.call("shop_login", { user: "a&b", roles: ["x", "y"] });
  expect(service.last).toMatchObject({
    body: "user=a%26b&roles=x&roles=y",
    headers: {
      authorization: `Basic ${Buffer.from("anna:secret-word").toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
  });
});

test("keys in the query and in a cookie, and a parameter as JSON", async () => {
  await shop.call("shop_search", { q: { max_size: 5 }, page: 2 });
  expect(service.last.url).toBe(`/v1/search?q=${encodeURIComponent('{"max-size":5}')}&api_key=q-key-1`);
  expect(service.last.headers.cookie).toBe("page=2; sid=c-key-1");
});

test.each(["shop_deleteOrder", "shop_hasOrder"])("%s needs no credentials and gets none", async (name) => {
  await shop.call(name, { id: 1 });
  expect(service.last.headers).not.toHaveProperty("authorization");
});

test.each<{ name: string; args: object; problem: string }>([
  { name: "shop_get_orders_id", args: {}, problem: "id: expected field, got nil" },
  { name: "shop_get_orders_id", args: { id: "x" }, problem: "id: expected int, got string" },
  { name: "shop_tagOrder", args: { id: 1, tag: ".." }, problem: 'tag cannot be ".." in a path' },
  { name: "shop_tagOrder", args: { id: 1, tag: "" }, problem: 'tag cannot be "" in a path' },
  {
    name: "shop_createOrder",
    args: { sku: "a", colour: "red" },
    problem: "there is no colour; there are sku, status, card, parent",
  },
  {
    name: "shop_listOrders",
    args: { X_Request_ID: "a\r\nb: c" },
    problem: "the header X-Request-ID cannot contain this text",
  },
])("$name $args is refused before anything is sent: $problem", async ({ name, args, problem }) => {
  await expect(shop.call(name, args)).rejects.toMatchObject({
    message: `invalid arguments: ${problem}`,
    details: { code: "invalid_tool_args" },
  });
  expect(service.seen).toEqual([]);
});

describe("the styles of the specification", () => {
  const parameter = (place: Parameter["in"], style: string, explode: boolean): Parameter => ({
    name: "color",
    in: place,
    required: true,
    schema: {},
    description: undefined,
    style,
    explode,
    json: false,
  });
  const list = ["blue", "black"];
  const object = { R: 100, G: 200 };

  test.each<[string, boolean, Json, string]>([
    ["simple", false, "blue", "blue"],
    ["simple", false, list, "blue,black"],
    ["simple", false, object, "R,100,G,200"],
    ["simple", true, object, "R=100,G=200"],
    ["label", false, "blue", ".blue"],
    ["label", false, list, ".blue,black"],
    ["label", true, list, ".blue.black"],
    ["label", false, object, ".R,100,G,200"],
    ["label", true, object, ".R=100.G=200"],
    ["matrix", false, "blue", ";color=blue"],
    ["matrix", false, list, ";color=blue,black"],
    ["matrix", true, list, ";color=blue;color=black"],
    ["matrix", false, object, ";color=R,100,G,200"],
    ["matrix", true, object, ";R=100;G=200"],
  ])("path, %s, explode %s, %j: %s", (style, explode, value, text) =>
    expect(pathText(parameter("path", style, explode), value)).toBe(text),
  );

  test.each<[string, boolean, Json, string]>([
    ["form", true, "", "color="],
    ["form", true, "blue", "color=blue"],
    ["form", true, list, "color=blue&color=black"],
    ["form", false, list, "color=blue,black"],
    ["form", true, object, "R=100&G=200"],
    ["form", false, object, "color=R,100,G,200"],
    ["form", false, [], ""],
    ["spaceDelimited", false, list, "color=blue%20black"],
    ["pipeDelimited", false, list, "color=blue%7Cblack"],
    ["deepObject", true, object, "color%5BR%5D=100&color%5BG%5D=200"],
    ["form", true, [{ a: 1 }], "color=%7B%22a%22%3A1%7D"],
  ])("query, %s, explode %s, %j: %s", (style, explode, value, text) =>
    expect(queryPairs(parameter("query", style, explode), value).join("&")).toBe(text),
  );

  test("header", () => expect(headerText(parameter("header", "simple", false), list)).toBe("blue,black"));
});

import { writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../support/environment";
import { json, openApi, openService, plain, Service, SHOP } from "./service";

/** From a document to tools. */

describe("the tools of a document", () => {
  test("every operation that can be sent is a tool; the others are reported", async () => {
    const { tools, left_out } = await openApi({ openapi: SHOP }).open();
    const signatures = Object.fromEntries(tools.map(({ spec }) => [spec.name, `${spec.effect} ${spec.signature}`]));
    const order = "{id :int, sku :string, status :string?, parent :map?}";
    expect(signatures).toEqual({
      shop_listOrders: `read (status :any?, ids :any?, filter_since :string?, where :map?, X-Request-ID :string?) -> [${order}]`,
      shop_createOrder: `write (sku :string, status :string?, card :string?, parent :map?) -> ${order}`,
      shop_get_orders_id: "read (id :int) -> :any",
      shop_changeOrder: "write (id :int, body_id :string?, note :string?, total :float?) -> :any",
      shop_deleteOrder: "write (id :int) -> :any",
      shop_hasOrder: "read (id :int) -> :any",
      shop_tagOrder: "write (id :int, tag :string, body :any?) -> :any",
      shop_login: "write (user :string?, roles :any?) -> :any",
      shop_search: "read (page :int?, q {max-size :int?}) -> :any",
    });
    expect(left_out).toEqual([
      { name: "uploadPhoto", reason: "its body is multipart/form-data: only JSON and URL-encoded forms are sent" },
      { name: "broken", reason: '$ref "#/components/responses/Nothing" leads nowhere' },
    ]);
  });

  test("the document's descriptions are for the model; a short read is a local activity", async () => {
    const { tool } = await openService({ openapi: SHOP, operations: ["listOrders"] });
    expect(tool("shop_listOrders").spec).toMatchObject({
      description: "Lists orders. Newest first -- X_Request_ID: Named in the logs",
      timeout_ms: 10_000,
    });
  });

  test("the project sets prefix, effects and time limit", async () => {
    const { tools } = await openService({
      openapi: SHOP,
      prefix: "",
      operations: ["deleteOrder", "createOrder"],
      effects: { deleteOrder: "irreversible" },
      timeout: "5s",
    });
    expect(tools.map(({ spec }) => [spec.name, spec.effect, spec.timeout_ms])).toEqual([
      ["createOrder", "write", 5_000],
      ["deleteOrder", "irreversible", 5_000],
    ]);
  });
});

test("the project says what makes an effect of an operation", async () => {
  const { tool } = await openService({
    openapi: SHOP,
    operations: ["createOrder", "deleteOrder"],
    effects: {
      createOrder: { repeatable: true, version: "2" },
      deleteOrder: { effect: "irreversible", identity: ["id"], onSameEffect: "fail", identityScope: "namespace" },
    },
  });
  expect(tool("shop_createOrder").spec).toMatchObject({ effect: "write", repeatable: true, version: "2" });
  expect(tool("shop_deleteOrder").spec).toMatchObject({
    effect: "irreversible",
    identity: ["id"],
    on_same_effect: "fail",
    identity_scope: "namespace",
  });
});

describe("documents and settings that cannot be used", () => {
  const folder = temporaryFolder("openapi");
  afterAll(() => folder.remove());
  const written = (text: string) => {
    const file = path.join(folder.path, "bad.yaml");
    writeFileSync(file, text);
    return file;
  };
  const sound = 'openapi: 3.1.0\npaths: {"/a": {get: {operationId: a}, put: {operationId: a}}}\n';

  test.each<{ text: string; problem: RegExp; settings?: object }>([
    { text: "swagger: '2.0'", problem: /bad\.yaml: this is Swagger 2\.0: convert it/ },
    { text: "openapi: 4.0.0", problem: /openapi must be 3\.0\.x or 3\.1\.x, is "4\.0\.0"/ },
    { text: "openapi: 3.0.0", problem: /it has no paths/ },
    { text: "[1]", problem: /an OpenAPI document is a map/ },
    { text: "a: [", problem: /bad\.yaml:1:\d/ },
    { text: sound, problem: /^http\.shop\.baseUrl: it is needed/ },
    { text: sound, settings: { baseUrl: "shop" }, problem: /^http\.shop\.baseUrl: must be an http or https URL/ },
    {
      text: sound,
      settings: { baseUrl: "http://a", auth: "x" },
      problem: /no security schemes: give the header itself/,
    },
    {
      text: sound,
      settings: { baseUrl: "http://a" },
      problem: /^http\.shop\.operations: "a" and "a" are both called "shop_a"/,
    },
  ])(
    "$text $settings: $problem",
    async ({ text, problem, settings = {} }) =>
      await expect(openApi({ openapi: written(text), ...settings }).open()).rejects.toMatchObject({
        code: "bad_project",
        exitCode: 2,
        message: expect.stringMatching(problem),
      }),
  );

  test.each<{ settings: object; problem: RegExp }>([
    {
      settings: { operations: ["lst"] },
      problem: /^http\.shop\.operations: there is no "lst"; there are listOrders, /,
    },
    {
      settings: { operations: ["uploadPhoto"] },
      problem: /^http\.shop\.operations: "uploadPhoto" cannot be used: its body/,
    },
    {
      settings: { effects: { deleteOrder: { identity: ["number"] } } },
      problem: /^http\.shop\.effects\.deleteOrder: identity names number, which the signature does not have; it has id/,
    },
    {
      settings: { effects: { createOrder: { repeatable: true, onSameEffect: "ask" } } },
      problem: /^http\.shop\.effects\.createOrder: repeatable makes every call a new effect/,
    },
    { settings: { effects: { lst: "read" } }, problem: /^http\.shop\.effects: there is no "lst"/ },
    {
      settings: { auth: "x" },
      problem: /several security schemes: give a map with token, basic, query_key, cookie_key/,
    },
    { settings: { auth: { tokn: "x" } }, problem: /there is no scheme tokn/ },
    { settings: { auth: { basic: "x" } }, problem: /^http\.shop\.auth\.basic: .*"user:password"/ },
    {
      settings: { auth: { token: `\${NO}` } },
      problem: /^http\.shop\.auth\.token: the environment variable NO is not set/,
    },
  ])(
    "$settings: $problem",
    async ({ settings, problem }) =>
      await expect(openApi({ openapi: SHOP, ...settings }).open()).rejects.toThrow(problem),
  );

  test("a document that cannot be fetched", async () => {
    const service = await new Service().start();
    service.reset(plain(404));
    await expect(openApi({ openapi: `${service.url}/a.json` }).open()).rejects.toMatchObject({
      code: "tool_source_failed",
      exitCode: 1,
      message: `The OpenAPI document ${service.url}/a.json cannot be loaded: it answers 404 Not Found`,
    });
    await service.close();
  });
});

test("a document on the network may name its service by a relative address", async () => {
  const service = await new Service().start();
  const document = {
    openapi: "3.1.0",
    servers: [{ url: "../v2" }],
    paths: {
      "/a": {
        get: { responses: { 200: { content: { "application/json": { schema: { type: ["integer", "null"] } } } } } },
      },
    },
  };
  service.reset(json(document), json(5));
  const { tool, call } = await openService({ openapi: `${service.url}/docs/a.json` });
  expect(tool("shop_get_a").spec.signature).toBe("() -> :int?");
  expect(await call("shop_get_a")).toBe(5);
  expect(service.last.url).toBe("/v2/a");
  await service.close();
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { knownSecrets } from "../../../src/node/secrets/known-secrets";
import { McpSettings } from "../../../src/tools";
import { GuardedServer } from "./guarded-server";
import { mcpSource, open, variable } from "./sources";

const guarded = new GuardedServer();
const folder = mkdtempSync(path.join(tmpdir(), "navigator-oauth-"));
/** A server that another one names. */
const elsewhere = new GuardedServer();
const warned = jest.spyOn(console, "warn").mockImplementation();
beforeAll(() => Promise.all([guarded.listen(), elsewhere.listen()]));
afterAll(async () => {
  await Promise.all([guarded.close(), elsewhere.close()]);
  // The SDK would write past our log.
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
  rmSync(folder, { recursive: true });
});

const source = (oauth: unknown, env: NodeJS.ProcessEnv = {}) =>
  mcpSource("shop", { url: `${guarded.url}/mcp`, oauth }, { NAVIGATOR_IDENTITY: folder, ...env });
const kept = () => path.join(folder, "mcp", readdirSync(path.join(folder, "mcp"))[0] as string);
/** A token, as a program may see it. */
const SAID = { said: expect.stringMatching(/^\[secret [\w.-]+\]$/) };
/** A person who does what the page says. */
const logIn = (oauth: unknown = true) => source(oauth).logIn({ port: 0, show: (address) => void fetch(address) });
const neededAgain = (why: RegExp) => ({ name: "ToolRetry", message: expect.stringMatching(why) });

test("a person logs in with a browser; workers use the login, refresh it, and show no token", async () => {
  await expect(source(true).open()).rejects.toMatchObject({
    code: "mcp_login_needed",
    message: 'The MCP server "shop" needs a login: run `navigator tools login shop`.',
  });
  const pages: number[] = [];
  await source(true).logIn({
    port: 0,
    show: async (address) => {
      const { searchParams } = new URL(address);
      const forged = new URL(searchParams.get("redirect_uri") ?? "");
      forged.search = "?code=stolen&state=guessed";
      pages.push(
        (await fetch(`${forged.origin}//`)).status,
        (await fetch(forged)).status,
        (await fetch(address)).status,
      );
    },
  });
  expect(pages).toEqual([404, 400, 200]);
  expect(guarded.log).toEqual(["authorization_code"]);
  expect(statSync(kept()).mode & 0o077).toBe(0);

  const [one, other] = [source(true), source(true)];
  const [shop, second] = [await open(one), await open(other)];
  const first = [...guarded.tokens].join(" ");
  expect(await shop.call("shop_token", { n: 1 })).toEqual(SAID);
  // The token is over: both workers refresh, whoever comes first.
  guarded.tokens.clear();
  expect(await shop.call("shop_token", { n: 1 })).toEqual(SAID);
  expect(await second.call("shop_token", { n: 1 })).toEqual(SAID);
  expect(readFileSync(kept(), "utf8")).not.toContain(first);
  // The login itself is over.
  guarded.tokens.clear();
  guarded.refreshTokens.clear();
  await expect(shop.call("shop_token", { n: 1 })).rejects.toMatchObject({
    name: "ToolRetry",
    message: expect.stringContaining("navigator tools login shop"),
  });
  expect(await source(true).logOut()).toBe(true);
  expect(await source(true).logOut()).toBe(false);
  await Promise.all([one.close(), other.close()]);
});

test("a worker logs in with an id and a secret of its environment; arguments and results are checked by the schemas", async () => {
  const oauth = {
    grant: "client_credentials",
    client_id: "robot",
    client_secret: variable("ROBOT_SECRET"),
    issuer: guarded.url,
  };
  const robot = source(oauth, { ROBOT_SECRET: "s3cret-of-robot" });
  const shop = await open(robot);
  expect(await shop.call("shop_token", { n: 1 })).toEqual(SAID);
  guarded.tokens.clear();
  expect(await shop.call("shop_token", { n: 1 })).toEqual(SAID);
  await expect(shop.call("shop_token", { n: 10 })).rejects.toMatchObject({
    details: { code: "invalid_tool_args", issues: [{ path: "n", message: "must be <= 9" }] },
  });
  await robot.close();
  const wrong = source(oauth, { ROBOT_SECRET: "not-the-secret" });
  const error = await wrong.open().catch((caught: Error) => caught);
  expect(error).toMatchObject({ code: "tool_source_failed", message: expect.stringContaining("no") });
  expect(JSON.stringify(error)).not.toContain("not-the-secret");
  await wrong.close();
});

test.each<[unknown, RegExp]>([
  [
    { grant: "client_credentials", client_id: "a", client_secret: "written down" },
    /must name a variable of the environment/,
  ],
  [{ grant: "client_credentials" }, /client_credentials needs it/],
  [{ grant: "password" }, /authorization_code or client_credentials/],
  [{ client_id: "a", client_secret: variable("A") }, /must be there with client_secret: the address/],
  [{ issuer: "http://login.example.com" }, /must be the https address/],
])("settings %j are refused", (oauth, says) => {
  expect(() => McpSettings.parse({ url: "http://127.0.0.1:1", oauth })).toThrow(says);
});

test("no token is sent without TLS, or beside one of the settings", async () => {
  const open = mcpSource("shop", { url: "http://shop.example.com/mcp", oauth: true }).open();
  await expect(open).rejects.toThrow(/mcp\.shop\.url.* must be an https URL/);
  const both = { url: "https://shop.example.com/mcp", oauth: true, headers: { authorization: "Bearer x" } };
  expect(() => McpSettings.parse(both)).toThrow(/is set by oauth/);
});

test("a login that fails says why", async () => {
  await expect(source(undefined).logIn({ port: 0, show: () => {} })).rejects.toThrow(/nobody logs in/);
  const refusing = source(true).logIn({
    port: 0,
    show: async (address) => {
      const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
      back.search = `?error=access_denied&state=${new URL(address).searchParams.get("state")}`;
      await fetch(back);
    },
  });
  await expect(refusing).rejects.toMatchObject({
    code: "tool_source_failed",
    message: expect.stringContaining("access_denied"),
  });
});

/** A refresh that the server answers when it is told to. */
function held() {
  let answer = () => {};
  guarded.hold = new Promise((resolve) => {
    answer = resolve;
  });
  return () => answer();
}
const until = async (is: () => boolean) => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("with a login", () => {
  let workers: ReturnType<typeof source>[] = [];
  const worker = async (oauth: unknown = true) => {
    const one = source(oauth);
    workers.push(one);
    return open(one);
  };
  beforeEach(async () => {
    await logIn();
    Object.assign(guarded, { refused: 0, hold: Promise.resolve() });
    guarded.log.length = 0;
  });
  afterEach(async () => {
    await Promise.all(workers.map((one) => one.close()));
    workers = [];
    await source(true).logOut();
    expect(readdirSync(path.join(folder, "mcp"))).toEqual([]);
  });

  test("of two workers that find the token over at the same time one refreshes it, and both go on", async () => {
    const [one, other] = [await worker(), await worker()];
    guarded.tokens.clear();
    const answer = held();
    const calls = [one, other].map((shop) => shop.call("shop_token", { n: 1 }));
    await until(() => guarded.refused >= 2 && guarded.log.length > 0);
    // A second one would come now.
    setTimeout(answer, 200);
    expect(await Promise.all(calls)).toEqual([SAID, SAID]);
    expect(guarded.log).toEqual(["refresh_token"]);
  });

  test("who logs out during a refresh stays logged out", async () => {
    const shop = await worker();
    guarded.tokens.clear();
    const answer = held();
    const call = shop.call("shop_token", { n: 1 });
    const refused = expect(call).rejects.toMatchObject(neededAgain(/navigator tools login shop/));
    await until(() => guarded.log.length > 0);
    const file = kept();
    expect(await source(true).logOut()).toBe(true);
    answer();
    await refused;
    expect(existsSync(file)).toBe(false);
  });

  test("a refresh that is refused late leaves the login that was made in the meantime, and uses it", async () => {
    const shop = await worker();
    guarded.tokens.clear();
    guarded.refreshTokens.clear();
    const answer = held();
    const call = shop.call("shop_token", { n: 1 });
    await until(() => guarded.log.length > 0);
    await logIn();
    const fresh = readFileSync(kept(), "utf8");
    answer();
    expect(await call).toEqual(SAID);
    expect(readFileSync(kept(), "utf8")).toBe(fresh);
  });

  test("a login without a refresh token is over with its token; nothing is asked for, and the file stays", async () => {
    guarded.gives_refresh = false;
    await logIn();
    guarded.gives_refresh = true;
    guarded.log.length = 0;
    const shop = await worker();
    const before = readFileSync(kept(), "utf8");
    guarded.tokens.clear();
    await expect(shop.call("shop_token", { n: 1 })).rejects.toMatchObject(neededAgain(/navigator tools login shop/));
    expect([guarded.log, readFileSync(kept(), "utf8")]).toEqual([[], before]);
  });

  test("a refresh goes to the authorization server of the login, whoever the MCP server names now", async () => {
    const shop = await worker();
    guarded.names = elsewhere.url;
    guarded.tokens.clear();
    expect(await shop.call("shop_token", { n: 1 })).toEqual(SAID);
    guarded.names = undefined;
    expect([guarded.log, elsewhere.log, elsewhere.asked]).toEqual([["refresh_token"], [], []]);
  });

  test("a token that is a word of other texts is hidden in those of its server only", async () => {
    expect(knownSecrets.findIn([...guarded.tokens].at(-1) as string)).not.toBeNull();
    guarded.word = "invoice-completed";
    await logIn();
    guarded.word = undefined;
    expect(knownSecrets.findIn("invoice-completed")).toBeNull();
    guarded.tokens.clear();
    guarded.tokens.add("invoice-completed");
    expect(await (await worker()).call("shop_token", { n: 1 })).toEqual(SAID);
  });

  test.each<[string, unknown, object, RegExp]>([
    ["that does not say where it is from", true, { issuer: undefined }, /does not name its authorization server/],
    ["of another authorization server", { issuer: "https://login.example.com" }, {}, /is for http:.* and `issuer`/],
  ])("a login %s is not used, not even its access token", async (_, oauth, change, why) => {
    writeFileSync(kept(), JSON.stringify({ ...JSON.parse(readFileSync(kept(), "utf8")), ...change }));
    await expect(source(oauth).open()).rejects.toMatchObject({
      code: "mcp_login_needed",
      message: expect.stringMatching(why),
    });
    expect([guarded.log, guarded.refused]).toEqual([[], 0]);
  });
});

test.each<[string, unknown]>([
  ["a login", { issuer: "ISSUER" }],
  ["a worker", { grant: "client_credentials", client_id: "robot", client_secret: variable("S"), issuer: "ISSUER" }],
])("an authorization server that the settings do not name gets nothing from %s", async (_, settings) => {
  const oauth = JSON.parse(JSON.stringify(settings).replace("ISSUER", guarded.url));
  const one = source(oauth, { S: "s3cret-of-robot" });
  guarded.names = elsewhere.url;
  const trying = oauth.grant ? one.open() : one.logIn({ port: 0, show: () => {} });
  await expect(trying).rejects.toMatchObject({
    code: "tool_source_failed",
    message: expect.stringContaining(`names the authorization server ${elsewhere.url}, but \`issuer\``),
  });
  guarded.names = undefined;
  expect(elsewhere.asked).toEqual([]);
  await one.close();
});

test("a login asks for the scopes of the settings, whatever the server wants", async () => {
  const shown: (string | null)[] = [];
  for (const scope of ["orders", undefined])
    await source({ scope }).logIn({
      port: 0,
      show: (address) => {
        shown.push(new URL(address).searchParams.get("scope"));
        void fetch(address);
      },
    });
  expect(shown).toEqual(["orders", "orders everything"]);
  await source(true).logOut();
});

test.each([
  ["that is sent on to the login of another server", { iss: "https://login.example.com" }, /came back from https:/],
  ["to a server whose tokens are for another one", { resource: "https://other.example.com/mcp" }, /another server/],
])("a login %s fails", async (_, change, why) => {
  Object.assign(guarded, change);
  await expect(logIn()).rejects.toThrow(why);
  Object.assign(guarded, { iss: undefined, resource: undefined });
  expect(await source(true).logOut()).toBe(false);
});

import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { McpSettings } from "../../../src/tools";
import { mcpSource, open, variable } from "./sources";

/** An MCP server that takes only tokens of its authorization server, both on the loopback interface. */
class Guarded {
  readonly tokens = new Set<string>();
  readonly refreshTokens = new Set<string>();
  readonly log: string[] = [];
  private readonly codes = new Map<string, string>();
  private readonly server: Server;
  private readonly mcp = new Map<string, StreamableHTTPServerTransport>();

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", async () => {
        const body = Buffer.concat(chunks).toString();
        const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
        const json = (value: object, status = 200) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
        if (pathname.startsWith("/.well-known/oauth-protected-resource"))
          return json({ resource: `${this.url}/mcp`, authorization_servers: [this.url] });
        if (pathname === "/.well-known/oauth-authorization-server") return json(this.metadata());
        if (pathname === "/register") return json({ ...JSON.parse(body), client_id: "registered" }, 201);
        if (pathname === "/authorize") {
          const code = randomUUID();
          this.codes.set(code, searchParams.get("code_challenge") ?? "");
          const back = new URL(searchParams.get("redirect_uri") ?? "");
          back.searchParams.set("state", searchParams.get("state") ?? "");
          back.searchParams.set("code", code);
          return response.writeHead(302, { location: back.href }).end();
        }
        if (pathname === "/token") return json(...this.token(new URLSearchParams(body), request));
        if (!this.tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
          const where = `${this.url}/.well-known/oauth-protected-resource/mcp`;
          response.setHeader("www-authenticate", `Bearer resource_metadata="${where}"`);
          return json({ error: "invalid_token" }, 401);
        }
        await (await this.session(request)).handleRequest(
          request,
          response,
          body === "" ? undefined : JSON.parse(body),
        );
      });
    });
  }

  private async session(request: IncomingMessage): Promise<StreamableHTTPServerTransport> {
    const known = this.mcp.get(String(request.headers["mcp-session-id"]));
    if (known) return known;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.mcp.set(id, transport),
    });
    const server = new McpServer({ name: "guarded", version: "1" });
    server.registerTool(
      "token",
      { inputSchema: { n: z.int().max(9) }, outputSchema: { said: z.string().max(200) } },
      ({ n }) => {
        const said = n === 9 ? "x".repeat(201) : [...this.tokens].join(" ");
        return { content: [], structuredContent: { said } };
      },
    );
    await server.connect(transport as never);
    return transport;
  }

  private metadata() {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      registration_endpoint: `${this.url}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    };
  }

  private token(form: URLSearchParams, { headers }: IncomingMessage): [object, number] {
    const grant = form.get("grant_type") ?? "";
    this.log.push(grant);
    const challenge = this.codes.get(form.get("code") ?? "");
    const verified = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const good = {
      authorization_code: challenge !== undefined && challenge === verified,
      refresh_token: this.refreshTokens.delete(form.get("refresh_token") ?? ""),
      client_credentials: headers.authorization === `Basic ${Buffer.from("robot:s3cret-of-robot").toString("base64")}`,
    }[grant];
    if (!good) return [{ error: "invalid_grant", error_description: "no" }, 400];
    const [access_token, refresh_token] = [`at-${randomUUID()}`, `rt-${randomUUID()}`];
    this.tokens.add(access_token);
    if (grant !== "client_credentials") this.refreshTokens.add(refresh_token);
    const refresh = grant === "client_credentials" ? {} : { refresh_token };
    return [{ access_token, token_type: "Bearer", expires_in: 3600, ...refresh }, 200];
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  listen = () => new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const guarded = new Guarded();
const folder = mkdtempSync(path.join(tmpdir(), "navigator-oauth-"));
beforeAll(() => guarded.listen());
afterAll(async () => {
  await guarded.close();
  rmSync(folder, { recursive: true });
});

const source = (oauth: unknown, env: NodeJS.ProcessEnv = {}) =>
  mcpSource("shop", { url: `${guarded.url}/mcp`, oauth }, { NAVIGATOR_IDENTITY: folder, ...env });
const kept = () => path.join(folder, "mcp", readdirSync(path.join(folder, "mcp"))[0] as string);

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
      pages.push((await fetch(forged)).status, (await fetch(address)).status);
    },
  });
  expect(pages).toEqual([400, 200]);
  expect(guarded.log).toEqual(["authorization_code"]);
  expect(statSync(kept()).mode & 0o077).toBe(0);

  const [one, other] = [source(true), source(true)];
  const [shop, second] = [await open(one), await open(other)];
  const first = [...guarded.tokens].join(" ");
  expect(await shop.call("shop_token", { n: 1 })).toEqual({ said: expect.stringMatching(/^\[secret [\w.-]+\]$/) });
  // The token is over: both workers refresh, whoever comes first.
  guarded.tokens.clear();
  expect(await shop.call("shop_token", { n: 1 })).toEqual({ said: expect.stringMatching(/^\[secret [\w.-]+\]$/) });
  expect(await second.call("shop_token", { n: 1 })).toEqual({ said: expect.stringMatching(/^\[secret [\w.-]+\]$/) });
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
  expect(await shop.call("shop_token", { n: 1 })).toEqual({ said: expect.stringMatching(/^\[secret [\w.-]+\]$/) });
  guarded.tokens.clear();
  expect(await shop.call("shop_token", { n: 1 })).toEqual({ said: expect.stringMatching(/^\[secret [\w.-]+\]$/) });
  await expect(shop.call("shop_token", { n: 10 })).rejects.toMatchObject({
    details: { code: "invalid_tool_args", issues: [{ path: "n", message: "must be <= 9" }] },
  });
  await robot.close();
  const wrong = source(oauth, { ROBOT_SECRET: "not-the-secret" });
  const error = await wrong.open().catch((caught: Error) => caught);
  expect(error).toMatchObject({ code: "mcp_server_failed", message: expect.stringContaining("no") });
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
])("settings %j are refused", (oauth, says) => {
  expect(() => McpSettings.parse({ url: "http://127.0.0.1:1", oauth })).toThrow(says);
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
    code: "mcp_login_failed",
    message: expect.stringContaining("access_denied"),
  });
});

import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** An MCP server that takes only tokens of its authorization server, both on the loopback interface. */
export class GuardedServer {
  readonly tokens = new Set<string>();
  readonly refreshTokens = new Set<string>();
  /** The grants that it was asked for. */
  readonly log: string[] = [];
  /** The paths that it was asked for. */
  readonly asked: string[] = [];
  /** Requests that it refused for their token. */
  refused = 0;
  /** The authorization server that the MCP server names; by default itself. */
  names: string | undefined;
  /** What the MCP server says that its tokens are for; by default itself. */
  resource: string | undefined;
  /** Who says to the browser that it gave the code. */
  iss: string | undefined;
  /** What it gives as access token; by default one that nobody can guess. */
  word: string | undefined;
  /** Whether logins can be refreshed. */
  gives_refresh = true;
  /** The refresh that is under way waits for this. */
  hold: Promise<void> = Promise.resolve();
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
        this.asked.push(pathname);
        const json = (value: object, status = 200) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
        if (pathname.startsWith("/.well-known/oauth-protected-resource"))
          return json({
            resource: this.resource ?? `${this.url}/mcp`,
            authorization_servers: [this.names ?? this.url],
          });
        if (pathname === "/.well-known/oauth-authorization-server") return json(this.metadata());
        if (pathname === "/register") return json({ ...JSON.parse(body), client_id: "registered" }, 201);
        if (pathname === "/authorize") {
          const code = randomUUID();
          this.codes.set(code, searchParams.get("code_challenge") ?? "");
          const back = new URL(searchParams.get("redirect_uri") ?? "");
          back.searchParams.set("state", searchParams.get("state") ?? "");
          back.searchParams.set("code", code);
          if (this.iss !== undefined) back.searchParams.set("iss", this.iss);
          return response.writeHead(302, { location: back.href }).end();
        }
        if (pathname === "/token") {
          const form = new URLSearchParams(body);
          const answer = this.token(form, request);
          if (form.get("grant_type") === "refresh_token") await this.hold;
          return json(...answer);
        }
        if (!this.tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
          const where = `${this.url}/.well-known/oauth-protected-resource/mcp`;
          this.refused += 1;
          response.setHeader("www-authenticate", `Bearer resource_metadata="${where}", scope="orders everything"`);
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
    const [access_token, refresh_token] = [this.word ?? `at-${randomUUID()}`, `rt-${randomUUID()}`];
    this.tokens.add(access_token);
    const refreshes = grant !== "client_credentials" && this.gives_refresh;
    if (refreshes) this.refreshTokens.add(refresh_token);
    const refresh = refreshes ? { refresh_token } : {};
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

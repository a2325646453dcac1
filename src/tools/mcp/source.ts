import path from "node:path";
import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import { isSafeAddress } from "../../node/safe-address";
import { loadConfig } from "../../node/settings";
import { Secrets } from "../secrets";
import { badSetting, type OpenedSource, type SourcePlace, type ToolSource } from "../source";
import { checkEffects, makeTools, sourceToolName } from "../source-tools";
import type { Tool } from "../tool";
import type { McpConnection } from "./connection";
import type { Address } from "./link";
import type * as McpTools from "./mcp-tool";
import type { OAuthAccess } from "./oauth";
import type * as Resources from "./resources";
import type { McpSettings } from "./settings";
import { SourceChecks } from "./source-checks";

/** The default time limit of the protocol's own clients. */
const TIMEOUT_MS = 60_000;

/** How long the schemas of a tool may take to read; those of all tools together, besides some time for each. */
const READ_MS = 2_000;
const READ_EACH_MS = 100;

/** The part of the worker's environment that a started server gets: enough to run, no keys. */
const PASSED_ON = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR", "TZ"];

/** Whether a token can occur by chance: an authorization server could give a word of everybody's texts as its token. */
const isRandom = (token: string): boolean => token.length >= 20 && /\d/.test(token) && /[A-Za-z]/.test(token);

/** What is loaded only when a server is opened. */
type Making = Pick<typeof McpTools, "mcpTool"> & Pick<typeof Resources, "resourceTools">;

/** The tools of one MCP server. `open` connects and gives them. */
export class McpSource implements ToolSource {
  readonly name: string;
  private readonly at: string;
  private readonly secrets: Secrets;
  private connection: McpConnection | undefined;
  private readonly checks = new SourceChecks({
    onOff: (fields) => this.place.log?.warn("mcp_source_switched_off", { server: this.server, ...fields }),
  });
  private opened: OpenedSource | undefined;
  private listener: (tools: Tool[]) => void = () => {};

  constructor(
    private readonly server: string,
    private readonly settings: McpSettings,
    private readonly place: SourcePlace,
  ) {
    this.name = `mcp ${server}`;
    this.at = `mcp.${server}`;
    this.secrets = new Secrets(place.env);
  }

  onChange(listener: (tools: Tool[]) => void): void {
    this.listener = listener;
  }

  async open(): Promise<OpenedSource> {
    const address = await this.address();
    // Only here: the SDK takes a tenth of a second to load.
    const [{ McpConnection }, tools, resources] = await Promise.all([
      import("./connection"),
      import("./mcp-tool"),
      import("./resources"),
    ]);
    const make = { ...tools, ...resources };
    this.connection = new McpConnection({
      name: this.server,
      address,
      hide: (text) => this.secrets.hide(text),
      onTools: (list) => this.received(list, make),
      log: this.place.log,
    });
    await this.connection.open();
    return this.opened ?? { tools: [], left_out: [] };
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  /**
   * Logs a person in to the server (`navigator tools login`), and keeps the tokens for the workers of this user.
   *
   * @throws NavigatorError `tool_source_failed`, `bad_project` for a source that has no login
   */
  async logIn({ port, show }: { port: number; show(address: string): void }): Promise<void> {
    const { access, url, headers } = this.loginPlace();
    const [{ logInToMcp }, { LoginFile }] = await Promise.all([import("./log-in"), import("./kept-login")]);
    const login = new LoginFile(this.identity, url);
    await logInToMcp({ access, url, headers, login, port, show });
  }

  /** Forgets the login. Whether there was one. */
  async logOut(): Promise<boolean> {
    const { LoginFile } = await import("./kept-login");
    return new LoginFile(this.identity, this.loginPlace().url).remove();
  }

  private loginPlace() {
    const access = this.oauth();
    if (access?.grant === "authorization_code") return { access, ...this.httpAddress() };
    const why = access === undefined ? "has no `oauth`" : "logs in with client_credentials, without a person";
    throw badSetting(this.at, `nobody logs in to this server: it ${why}`);
  }

  private get identity(): string {
    return loadConfig(this.place.env).identity;
  }

  private httpAddress(): { url: string; headers: { [name: string]: string } } {
    const { settings, at, secrets } = this;
    const url = secrets.expand(settings.url ?? "", `${at}.url`);
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw badSetting(`${at}.url`, "must be an http or https URL");
    if (settings.oauth !== undefined && !isSafeAddress(url))
      throw badSetting(`${at}.url`, "must be an https URL: with oauth, tokens are sent there");
    return { url, headers: secrets.expandAll(settings.headers ?? {}, `${at}.headers`) };
  }

  private oauth(): OAuthAccess | undefined {
    const { settings, at, secrets, server } = this;
    if (settings.oauth === undefined) return undefined;
    const { client_id, client_secret, ...rest } = settings.oauth;
    const expanded = (name: string, text: string | undefined) => text && secrets.expand(text, `${at}.oauth.${name}`);
    return {
      ...rest,
      name: server,
      client_id: expanded("client_id", client_id),
      client_secret: expanded("client_secret", client_secret),
      keep: (secret) => secrets.keep(secret, `the login to ${server}`, isRandom(secret)),
      hide: (text) => secrets.hide(text),
    };
  }

  /** At first a list that does not fit the settings is a mistake; a later change must not end the worker. */
  private received(list: ServerTool[], make: Making): void {
    const first = this.opened === undefined;
    try {
      this.opened = this.read(list, make);
      if (!first) this.listener(this.opened.tools);
    } catch (error) {
      if (first) throw error;
      this.place.log?.warn("mcp_tools_refused", { server: this.server, problem: (error as Error).message });
    }
  }

  private read(list: ServerTool[], make: Making): OpenedSource {
    const { settings, at, secrets } = this;
    const connection = this.connection as McpConnection;
    const timeout_ms = settings.timeout ?? TIMEOUT_MS;
    checkEffects(
      settings.effects,
      list.map(({ name }) => name),
      at,
    );
    const until = performance.now() + READ_MS + READ_EACH_MS * list.length;
    const opened = makeTools(list, {
      place: at,
      list: settings.tools,
      listName: "tools",
      nameOf: ({ name }) => name,
      make: (tool) => {
        const name = sourceToolName({ name: this.server, prefix: settings.prefix }, tool.name);
        const effects = settings.effects[tool.name] ?? {};
        return make.mcpTool(tool, {
          name,
          connection,
          secrets,
          effects,
          place: `${at}.effects.${tool.name}`,
          timeout_ms,
          read_ms: Math.max(1, Math.min(READ_MS, Math.ceil(until - performance.now()))),
          checks: this.checks,
        });
      },
    });
    if (settings.resources === true) opened.tools.push(...this.readers(opened.tools, make, timeout_ms));
    return opened;
  }

  /** The tools that read the server's resources. @throws NavigatorError where it has none, or tools of these names */
  private readers(others: readonly Tool[], make: Making, timeout_ms: number): Tool[] {
    const { settings, at, secrets, server } = this;
    const connection = this.connection as McpConnection;
    if (!connection.hasResources) throw badSetting(`${at}.resources`, "the server has no resources");
    const named = (own: string) => sourceToolName({ name: server, prefix: settings.prefix }, own);
    const names = { list: named("list_resources"), read: named("read_resource") };
    const taken = others.find(({ spec }) => Object.values(names).includes(spec.name));
    if (taken !== undefined)
      throw badSetting(`${at}.resources`, `the server has a tool "${taken.spec.name}" itself: leave resources out`);
    return make.resourceTools(names, { connection, secrets, timeout_ms });
  }

  /** @throws NavigatorError for a variable that is not set, a URL that is none */
  private async address(): Promise<Address> {
    const { settings, at, secrets, place } = this;
    if (settings.url !== undefined) {
      const { url, headers } = this.httpAddress();
      const access = this.oauth();
      if (access === undefined) return { url, headers };
      const [{ workerTokens }, { LoginFile }, { fetchWithOwnHeaders }] = await Promise.all([
        import("./oauth"),
        import("./kept-login"),
        import("./own-headers"),
      ]);
      const login = new LoginFile(this.identity, url);
      return { url, headers, tokens: workerTokens(access, url, login, fetchWithOwnHeaders(url, headers)) };
    }
    const passed = PASSED_ON.flatMap((name): [string, string][] => {
      const value = place.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    return {
      command: settings.command as string,
      args: (settings.args ?? []).map((arg, i) => secrets.expand(arg, `${at}.args.${i}`)),
      env: { ...Object.fromEntries(passed), ...secrets.expandAll(settings.env ?? {}, `${at}.env`) },
      cwd: path.resolve(place.folder, settings.cwd ?? "."),
    };
  }
}

import path from "node:path";
import type { Tool as ServerTool } from "@modelcontextprotocol/sdk/types.js";
import { Secrets } from "../secrets";
import { badSetting, type OpenedSource, type SourcePlace, type ToolSource } from "../source";
import { checkEffects, makeTools, sourceToolName } from "../source-tools";
import type { Tool } from "../tool";
import type { McpConnection } from "./connection";
import type { Address } from "./link";
import type { mcpTool } from "./mcp-tool";
import type { McpSettings } from "./settings";

/** The default time limit of the protocol's own clients. */
const TIMEOUT_MS = 60_000;

/** The part of the worker's environment that a started server gets: enough to run, no keys. */
const PASSED_ON = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR", "TZ"];

/** The tools of one MCP server. `open` connects and gives them. */
export class McpSource implements ToolSource {
  readonly name: string;
  private readonly at: string;
  private readonly secrets: Secrets;
  private connection: McpConnection | undefined;
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
    const address = this.address();
    // Only here: the SDK takes a tenth of a second to load.
    const [{ McpConnection }, { mcpTool }] = await Promise.all([import("./connection"), import("./mcp-tool")]);
    this.connection = new McpConnection({
      name: this.server,
      address,
      hide: (text) => this.secrets.hide(text),
      onTools: (tools) => this.told(tools, mcpTool),
      log: this.place.log,
    });
    await this.connection.open();
    return this.opened ?? { tools: [], left_out: [] };
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  /** At first a list that does not fit the settings is a mistake; a later change must not end the worker. */
  private told(list: ServerTool[], make: typeof mcpTool): void {
    const first = this.opened === undefined;
    try {
      this.opened = this.read(list, make);
      if (!first) this.listener(this.opened.tools);
    } catch (error) {
      if (first) throw error;
      this.place.log?.warn("mcp_tools_refused", { server: this.server, problem: (error as Error).message });
    }
  }

  private read(list: ServerTool[], make: typeof mcpTool): OpenedSource {
    const { settings, at, secrets } = this;
    const connection = this.connection as McpConnection;
    const timeout_ms = settings.timeout ?? TIMEOUT_MS;
    checkEffects(
      settings.effects,
      list.map(({ name }) => name),
      at,
    );
    return makeTools(list, {
      place: at,
      list: settings.tools,
      listName: "tools",
      nameOf: ({ name }) => name,
      make: (tool) => {
        const name = sourceToolName({ name: this.server, prefix: settings.prefix }, tool.name);
        const effects = settings.effects[tool.name] ?? {};
        return make(tool, { name, connection, secrets, effects, place: `${at}.effects.${tool.name}`, timeout_ms });
      },
    });
  }

  /** @throws NavigatorError for a variable that is not set, a URL that is none */
  private address(): Address {
    const { settings, at, secrets, place } = this;
    if (settings.url !== undefined) {
      const url = secrets.expand(settings.url, `${at}.url`);
      if (!/^https?:\/\//.test(url) || !URL.canParse(url))
        throw badSetting(`${at}.url`, "must be an http or https URL");
      return { url, headers: secrets.expandAll(settings.headers ?? {}, `${at}.headers`) };
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

import { setTimeout as pauseFor } from "node:timers/promises";
import type { CallToolResult, ReadResourceResult, Tool } from "@modelcontextprotocol/client";
import { NavigatorError } from "../../core/base/navigator-error";
import { delay } from "../../node/delay";
import type { Logger } from "../../node/log";
import { type Address, Link, type McpCallOptions, type McpReadOptions, NoEra, type ResourcePage } from "./link";
import { problemOf, troubleOf } from "./trouble";

export interface ConnectionOptions {
  name: string;
  address: Address;
  /** Removes secrets from texts about the server. */
  hide(text: string): string;
  /** Called whenever the server lists its tools. @throws NavigatorError ends the connection that is just made */
  onTools(tools: Tool[]): void;
  log?: Logger | undefined;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A call waits at most this long for its turn: Temporal retries it. */
const PATIENCE_MS = 1_000;
/** A server that ran this long did not fail because of its start. */
const STABLE_MS = 10_000;
/** Between two lists of a server whose tools change. */
const REFRESH_PAUSE_MS = 250;
/** How often a call that was not handed over is handed to a new connection. */
const MAX_TRIES = 3;

/** A server whose calls outlive its connections: after a lost connection the next call makes a new one. */
export class McpConnection {
  /** What the server calls itself. */
  version = "";
  /** Whether it has anything to read, as it declared when it was connected. */
  hasResources = false;
  /** The connection, in progress or ready; undefined = the next call makes one. */
  private opening: Promise<Link> | undefined;
  private current: Link | undefined;
  /** It ended when it was asked what it speaks: it is not asked again. */
  private older = false;
  private failures = 0;
  private notBefore = 0;
  private problem = "";
  private closed = false;
  private tools = "";
  private refreshing: Promise<void> = Promise.resolve();
  /** Whose tools will be read anew. */
  private toRefresh: Link | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  /** The server's tools. @throws NavigatorError `tool_source_failed` that names it and repeats its last output */
  async open(): Promise<void> {
    await this.connected(new AbortController().signal);
  }

  /**
   * One call. One that the server never got goes to a new connection.
   *
   * @throws Trouble, and NavigatorError when there is no connection to be had: in both nothing was done, unless the
   *   trouble reports otherwise
   */
  call(tool: string, args: { [name: string]: unknown }, options: McpCallOptions): Promise<CallToolResult> {
    return this.sent(options.signal, (link) => link.call(tool, args, options));
  }

  /** A page of what the server has to read. @throws as `call` */
  listResources(cursor: string | undefined, options: McpReadOptions): Promise<ResourcePage> {
    return this.sent(options.signal, (link) => link.listResources(cursor, options));
  }

  /** @throws as `call` */
  readResource(uri: string, options: McpReadOptions): Promise<ReadResourceResult> {
    return this.sent(options.signal, (link) => link.readResource(uri, options));
  }

  private async sent<T>(signal: AbortSignal, send: (link: Link) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const link = await this.connected(signal);
      try {
        return await send(link);
      } catch (error) {
        // Nobody is logged in: nothing was sent.
        if (error instanceof NavigatorError) throw error;
        const trouble = troubleOf(error, link);
        if (trouble.neverArrived) this.drop(link);
        if (!trouble.neverArrived || tries === MAX_TRIES) throw trouble;
      }
    }
  }

  /** Milliseconds until the next connection attempt. */
  get pause_ms(): number {
    return Math.max(0, this.notBefore - Date.now());
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.current?.close();
  }

  private async connected(signal: AbortSignal): Promise<Link> {
    for (;;) {
      if (this.closed) throw this.failed("is closed: its worker is ending");
      if (this.opening) return this.opening;
      if (this.pause_ms === 0) break;
      if (this.pause_ms > PATIENCE_MS) throw this.failed(`${this.problem}; it is tried again in ${this.pause_ms} ms`);
      await delay(this.pause_ms, signal);
    }
    this.opening = this.connect();
    return this.opening;
  }

  private async connect(): Promise<Link> {
    const { address, log, name, hide } = this.options;
    const link: Link = new Link(
      address,
      {
        onClose: () => this.ended(link),
        onToolsChanged: () => this.refresh(link),
        onError: (error) => log?.debug("mcp_server_trouble", { server: name, problem: hide(problemOf(error)) }),
      },
      undefined,
      this.older,
    );
    this.current = link;
    try {
      await link.open();
      this.hasResources = link.hasResources;
      this.received(await link.tools());
      this.version = link.version;
      return link;
    } catch (error) {
      const words = link.lastWords;
      await link.close();
      if (error instanceof NoEra && !this.closed) {
        this.older = true;
        return this.connect();
      }
      // The next attempt asks again: there may be another server by then.
      this.older = false;
      this.lost(link);
      if (error instanceof NavigatorError) throw error;
      const what = "url" in address ? "cannot be reached" : "cannot be started";
      this.problem = `${what}: ${problemOf(error)}${words === "" ? "" : `; ${words}`}`;
      throw this.failed(this.problem);
    }
  }

  private failed(problem: string): NavigatorError {
    const { name, address, hide } = this.options;
    const place = "url" in address ? new URL(address.url).origin : address.command;
    return new NavigatorError("tool_source_failed", hide(`The MCP server "${name}" (${place}) ${problem}`), {
      details: { path: name },
    });
  }

  private ended(link: Link): void {
    const { name, log, hide } = this.options;
    // An error reports a connection that could not be opened.
    if (this.current === link && link.opened && !this.closed) {
      this.problem = `was lost${link.lastWords === "" ? "" : `: ${link.lastWords}`}`;
      log?.warn("mcp_server_ended", { server: name, last_words: hide(link.lastWords) });
    }
    this.lost(link);
  }

  /** The next call makes a new connection; the delay grows with the number of failures. */
  private lost(link: Link): void {
    if (this.current !== link) return;
    this.current = undefined;
    this.opening = undefined;
    if (Date.now() - link.since > STABLE_MS) this.failures = 0;
    this.notBefore = Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.failures, LONGEST_PAUSE_MS);
    this.failures += 1;
  }

  /** A connection that is useless, though nobody closed it. */
  private drop(link: Link): void {
    this.lost(link);
    void link.close();
  }

  /** However often a server reports that its tools have changed, one list waits at a time. */
  private refresh(link: Link): void {
    const waits = this.toRefresh !== undefined;
    this.toRefresh = link;
    if (waits) return;
    this.refreshing = this.refreshing
      .then(async () => {
        const link = this.toRefresh as Link;
        this.toRefresh = undefined;
        if (!link.closed) this.received(await link.tools());
      })
      .catch((error) => {
        const { log, name, hide } = this.options;
        log?.warn("mcp_tools_unknown", { server: name, problem: hide(problemOf(error)) });
      })
      .then(() => pauseFor(REFRESH_PAUSE_MS, undefined, { ref: false }));
  }

  private received(tools: Tool[]): void {
    const text = JSON.stringify(tools);
    if (text === this.tools) return;
    this.tools = text;
    this.options.onTools(tools);
  }
}

import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { MCP_COMMAND, type Site } from "./site";

/** The kinds of clients, each the official one of its protocol: 2025-11-25 over stdio and HTTP, 2026-07-28 over HTTP. */
export const KINDS = ["2025 stdio", "2025 http", "2026 http"] as const;
export type Kind = (typeof KINDS)[number];

/** What a tool answered: its data, or the code of its refusal. */
export type Told = { data: { [name: string]: unknown } } | { refused: string };

export interface CrowdClient {
  /** @throws Error when there is no answer: the server was killed */
  call(name: string, args: object): Promise<Told>;
  /** Of a client over stdio: SIGKILL for its server. */
  kill(): void;
  close(): Promise<void>;
}

interface Answer {
  isError?: boolean;
  content?: unknown;
  structuredContent?: unknown;
}

const INFO = { name: "crowd", version: "1" };
/** Calls last 45 s at most. An answer that is lost with its server would be waited for otherwise. */
const PATIENCE = { timeout: 60_000 };

export async function openClient(kind: Kind, site: Site, index: number): Promise<CrowdClient> {
  if (kind === "2026 http") {
    const client = new NewClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new NewHttp(new URL(site.url(index))));
    const ask = (name: string, args: object) =>
      client.callTool({ name, arguments: args as { [name: string]: unknown } }, PATIENCE) as Promise<Answer>;
    return { call: async (name, args) => told(await ask(name, args)), kill: () => {}, close: () => client.close() };
  }
  const client = new Client(INFO);
  const stdio =
    kind === "2025 stdio"
      ? new StdioClientTransport({
          command: process.execPath,
          args: MCP_COMMAND,
          cwd: site.folder,
          env: site.env,
          stderr: "ignore",
        })
      : null;
  await client.connect(stdio ?? (new StreamableHTTPClientTransport(new URL(site.url(index))) as never));
  const ask = (name: string, args: object) =>
    client.callTool({ name, arguments: { ...args } }, undefined, PATIENCE) as Promise<Answer>;
  return {
    call: async (name, args) => told(await ask(name, args)),
    kill: () => {
      if (stdio?.pid) process.kill(stdio.pid, "SIGKILL");
    },
    close: () => client.close(),
  };
}

function told({ isError, content, structuredContent }: Answer): Told {
  if (!isError) return { data: (structuredContent as { data: { [name: string]: unknown } }).data };
  const [{ text = "" } = {}] = content as { text?: string }[];
  return { refused: (JSON.parse(text) as { error: { code: string } }).error.code };
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Setting } from "./setting";

const COMMAND = [path.join(__dirname, "..", "cli", "main.js"), "mcp", "--no-embedded"];

/** `navigator mcp` as a process of its own, with the official SDK's client on this side. */
export interface McpSide {
  /** @throws Error with what a refusal says */
  call(name: string, args: object): Promise<{ [name: string]: unknown }>;
  close(): Promise<void>;
}

export async function overHttp(setting: Setting, taskQueue: string): Promise<McpSide> {
  const server = spawn(process.execPath, [...COMMAND, "--http", "--port", "0", "--json"], {
    cwd: setting.folder,
    env: environment(setting, taskQueue),
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const transport = new StreamableHTTPClientTransport(new URL(await urlOf(server)));
    return await connected(transport as Parameters<Client["connect"]>[0], () => end(server));
  } catch (error) {
    await end(server);
    throw error;
  }
}

export function overStdio(setting: Setting, taskQueue: string): Promise<McpSide> {
  return connected(
    new StdioClientTransport({
      command: process.execPath,
      args: COMMAND,
      cwd: setting.folder,
      env: environment(setting, taskQueue),
      stderr: "inherit",
    }),
  );
}

async function connected(
  transport: Parameters<Client["connect"]>[0],
  end: () => Promise<void> = async () => {},
): Promise<McpSide> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  // As any client does: from then on it checks every answer against the tool's output schema.
  await client.listTools();
  return {
    async call(name, args) {
      const answer = await client.callTool({ name, arguments: { ...args } });
      if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
      return answer.structuredContent as { [name: string]: unknown };
    },
    async close() {
      await client.close();
      await end();
    },
  };
}

function environment({ address }: Setting, taskQueue: string): { [name: string]: string } {
  return {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    TEMPORAL_ADDRESS: address,
    NAVIGATOR_TASK_QUEUE: taskQueue,
    // The tasks are loaded by a client without a project.
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_LOG_LEVEL: "error",
  };
}

async function urlOf(server: ChildProcess): Promise<string> {
  const input = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  for await (const line of input) if (line.includes("mcp_ready")) return (JSON.parse(line) as { url: string }).url;
  throw new Error("The MCP server ended before it listened.");
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
}

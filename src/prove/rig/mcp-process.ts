import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";

/** The built command: beside this folder, or in dist when this file runs from the sources. */
const MAIN = [
  path.join(__dirname, "..", "..", "cli", "main.js"),
  path.join(__dirname, "..", "..", "..", "dist", "cli", "main.js"),
].find(existsSync);

/** `navigator mcp` as a process of its own, which can be killed like one. */
export class McpProcess {
  private readonly waiting = new Map<number, (answer: JsonObject) => void>();
  private next = 1;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as { id?: number; result?: JsonObject };
      if (message.id !== undefined) this.waiting.get(message.id)?.(message as JsonObject);
    });
    // A process that is killed does not read any more.
    child.stdin.on("error", () => {});
    child.stderr.resume();
  }

  static async open(env: NodeJS.ProcessEnv, folder: string): Promise<McpProcess> {
    if (MAIN === undefined) throw new Error("There is no built command: run `npm run build` first.");
    const opened = new McpProcess(spawn(process.execPath, [MAIN, "mcp"], { env, cwd: folder }));
    const clientInfo = { name: "navigator prove", version: "1" };
    await opened.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    opened.say({ method: "notifications/initialized" });
    return opened;
  }

  /** The data of a tool's answer. @throws Error with the answer when the tool refused, or the process ended before it answered */
  async call(name: string, args: JsonObject): Promise<JsonObject> {
    const { result, error } = await this.ask("tools/call", { name, arguments: args });
    const { structuredContent, isError } = (result ?? {}) as { structuredContent?: JsonObject; isError?: boolean };
    const data = structuredContent?.data;
    if (isError || error || !isObject(data)) throw new Error(`${name} answered ${JSON.stringify(error ?? result)}`);
    return data;
  }

  /** Sends a call, and kills the process some milliseconds later, whether or not it has answered. */
  async killDuring(name: string, args: JsonObject, after_ms: number): Promise<void> {
    this.call(name, args).catch(() => {}); // nobody hears the answer
    await new Promise((resolve) => setTimeout(resolve, after_ms));
    await this.kill();
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  private async ask(method: string, params: JsonObject): Promise<{ result?: JsonObject; error?: JsonObject }> {
    const id = this.next++;
    const ended = new AbortController();
    const lost = once(this.child, "exit", { signal: ended.signal }).then(() => {
      throw new Error(`The MCP process ended before it answered ${method}.`);
    });
    const answer = new Promise<JsonObject>((resolve) => this.waiting.set(id, resolve));
    this.say({ id, method, params });
    try {
      return (await Promise.race([answer, lost])) as { result?: JsonObject; error?: JsonObject };
    } finally {
      ended.abort();
      lost.catch(() => {}); // it was only watched
    }
  }

  private say(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

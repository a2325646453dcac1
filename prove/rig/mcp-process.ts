import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JsonObject } from "../../src/core/base/json";
import { startCommand } from "./command";
import { answeredData, answerTo, introduction, type McpMessage, type PersonAtClient } from "./mcp-messages";

/** `navigator mcp` as a separate process, which can be killed like one. */
export class McpProcess {
  private readonly waiting = new Map<number, (answer: JsonObject) => void>();
  private next = 1;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    person: PersonAtClient | undefined,
  ) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as McpMessage;
      const answer = answerTo(message, person);
      if (answer !== undefined) this.send(answer);
      else if (message.id !== undefined) this.waiting.get(message.id)?.(message);
    });
    // A process that is killed does not read any more.
    child.stdin.on("error", () => {});
    child.stderr.resume();
  }

  /** @param person who sits at the client, and answers its forms */
  static async open(
    env: NodeJS.ProcessEnv,
    folder: string,
    { args = [], person }: { args?: readonly string[]; person?: PersonAtClient } = {},
  ): Promise<McpProcess> {
    const opened = new McpProcess(startCommand(["mcp", "--no-embedded", ...args], { env, folder }), person);
    await opened.ask("initialize", introduction(person));
    opened.send({ method: "notifications/initialized" });
    return opened;
  }

  /** The data of a tool's answer. @throws McpRefusal when the tool refused, Error when the process ended before it answered */
  async call(name: string, args: JsonObject): Promise<JsonObject> {
    return answeredData(name, await this.ask("tools/call", { name, arguments: args }));
  }

  /** Sends a call, and kills the process some milliseconds later, whether or not it has answered. */
  async killDuring(name: string, args: JsonObject, after_ms: number): Promise<void> {
    this.call(name, args).catch(() => {}); // nobody receives the answer
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

  private async ask(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.next++;
    const ended = new AbortController();
    const lost = once(this.child, "exit", { signal: ended.signal }).then(() => {
      throw new Error(`The MCP process ended before it answered ${method}.`);
    });
    const answer = new Promise<JsonObject>((resolve) => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    try {
      return await Promise.race([answer, lost]);
    } finally {
      ended.abort();
      lost.catch(() => {}); // it was only watched
    }
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

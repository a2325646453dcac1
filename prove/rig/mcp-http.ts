import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JsonObject } from "../../src/core/base/json";
import { type CommandPlace, startCommand } from "./command";
import { whenInterrupted } from "./interrupted";
import { answeredData, answerTo, introduction, type McpMessage, McpRefusal, type PersonAtClient } from "./mcp-messages";

/** `navigator mcp --http` as a separate process. */
export class McpHttpServer {
  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly url: string,
    private readonly stay: () => void,
  ) {}

  static async open(place: CommandPlace): Promise<McpHttpServer> {
    const child = startCommand(["mcp", "--no-embedded", "--http", "--port", "0", "--json"], place);
    child.stderr.resume();
    const stay = whenInterrupted(() => void child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout });
    const ended = once(child, "exit").then(([exit]) => {
      throw new Error(`The MCP server ended with ${exit} before it was ready.`);
    });
    const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
    ended.catch(() => {}); // it ends some time
    return new McpHttpServer(child, (JSON.parse(line) as { url: string }).url, stay);
  }

  /** A session of a client that sends this bearer token. @throws McpRefusal with the HTTP status */
  session(token: string | null, person?: PersonAtClient): Promise<McpHttpSession> {
    return McpHttpSession.begin(this.url, token, person);
  }

  async close(): Promise<void> {
    this.stay();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
  }
}

/** A client of such a server. */
class McpHttpSession {
  private next = 1;
  private id: string | null = null;

  private constructor(
    private readonly url: string,
    private readonly token: string | null,
    private readonly person: PersonAtClient | undefined,
  ) {}

  static async begin(url: string, token: string | null, person: PersonAtClient | undefined): Promise<McpHttpSession> {
    const session = new McpHttpSession(url, token, person);
    await session.ask("initialize", introduction(person));
    await session.send({ method: "notifications/initialized" });
    return session;
  }

  /** As `McpProcess.call`. @throws McpRefusal */
  async call(name: string, args: JsonObject): Promise<JsonObject> {
    return answeredData(name, await this.ask("tools/call", { name, arguments: args }));
  }

  private async send(message: object): Promise<void> {
    const answer = await this.post(message);
    await answer.body?.cancel();
  }

  private async ask(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.next++;
    const answer = await this.post({ id, method, params });
    this.id ??= answer.headers.get("mcp-session-id");
    for await (const message of messagesOf(answer)) {
      const reply = answerTo(message, this.person);
      if (reply !== undefined) await this.send(reply);
      else if (message.id === id) return message;
    }
    throw new Error(`The MCP server did not answer ${method}.`);
  }

  private async post(message: object): Promise<Response> {
    const answer = await fetch(this.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(this.id === null ? {} : { "mcp-session-id": this.id, "mcp-protocol-version": "2025-06-18" }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    if (answer.ok) return answer;
    throw new McpRefusal(String(answer.status), await answer.text());
  }
}

/** The messages of an answer: a stream of events, each with one. */
async function* messagesOf(answer: Response): AsyncIterable<McpMessage> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() as string;
    for (const line of lines)
      if (line.startsWith("data: ") && line.trim() !== "data:") yield JSON.parse(line.slice(6)) as McpMessage;
  }
}

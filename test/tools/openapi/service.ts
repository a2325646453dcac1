import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { OpenApiSettings, OpenApiSource, type Tool, type ToolContext } from "../../../src/tools";
import { toolCall } from "../tool-call";

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void;

export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };
export const plain =
  (status: number, headers: Record<string, string> = {}, body = ""): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** An HTTP service on the loopback interface: answers with the next answer (the last one for ever) and keeps what it saw. */
export class Service {
  readonly seen: SeenRequest[] = [];
  answers: Answer[] = [json(null)];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
      this.seen.push(seen);
      const next = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
      (next as Answer)(response, seen);
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get last(): SeenRequest {
    return this.seen.at(-1) as SeenRequest;
  }

  reset(...answers: Answer[]): void {
    this.seen.length = 0;
    this.answers = answers;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

export const SHOP = path.join(__dirname, "shop.yaml");

export const openApi = (settings: object, env: NodeJS.ProcessEnv = {}): OpenApiSource =>
  new OpenApiSource("shop", OpenApiSettings.parse(settings), { folder: __dirname, env });

export interface OpenedService {
  tools: Tool[];
  tool(name: string): Tool;
  call(name: string, args?: object, told?: Partial<ToolContext>): Promise<unknown>;
}

export async function openService(settings: object, env: NodeJS.ProcessEnv = {}): Promise<OpenedService> {
  const { tools } = await openApi(settings, env).open();
  const tool = (name: string) => {
    const found = tools.find(({ spec }) => spec.name === name);
    if (!found) throw new Error(`no ${name} among ${tools.map(({ spec }) => spec.name)}`);
    return found;
  };
  return { tools, tool, call: (name, args = {}, told = {}) => tool(name).run(args as never, toolCall(told)) };
}

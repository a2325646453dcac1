import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent
  body: any;
}

export type Answer =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  /** Sent as it is. */
  | { status?: number; text: string }
  | "hang"
  | "hang up"
  | "hang up in the body";

/** A provider on the loopback interface: answers each request with the next answer (the last one for ever) and keeps what it saw. */
export class Loopback {
  readonly seen: Seen[] = [];
  /** Requests whose connection was closed before they were answered. */
  abandoned = 0;
  answers: Answer[] = [];
  private readonly server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const body: unknown = text === "" ? null : JSON.parse(text);
      this.seen.push({ path: request.url ?? "", headers: request.headers, body });
      response.on("close", () => {
        if (!response.writableFinished) this.abandoned += 1;
      });
      answer(response, (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? "hang up");
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reset(...answers: Answer[]): void {
    this.seen.length = 0;
    this.abandoned = 0;
    this.answers = answers;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

function answer(response: ServerResponse, what: Answer): void {
  if (what === "hang") return;
  if (what === "hang up") return void response.socket?.destroy();
  if (what === "hang up in the body") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"id":');
    setTimeout(() => response.socket?.destroy(), 20);
    return;
  }
  const headers = "headers" in what ? what.headers : {};
  response.writeHead(what.status ?? 200, { "content-type": "application/json", ...headers });
  response.end("text" in what ? what.text : JSON.stringify(what.body));
}

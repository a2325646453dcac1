import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent
  body: any;
}

/** Of a stream: sent as it is; or waited for; or the connection breaks. */
export type Piece = string | Promise<unknown>;

export type Answer =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  /** Sent as it is. */
  | { status?: number; text: string }
  | { pieces: Piece[] }
  | "hang"
  | "hang up"
  | "hang up in the body";

/** A provider on the loopback interface: answers each request with the next answer (the last one for ever) and keeps what it saw. */
export class Loopback {
  readonly seen: Seen[] = [];
  /** Requests whose connection was closed before they were answered. */
  abandoned = 0;
  answers: Answer[] = [];
  private tellAbandoned = () => {};
  private tellSeen = () => {};
  /** Grows with each reset: a connection of an earlier test that closes late is none of this one. */
  private round = 0;
  private readonly server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const body: unknown = text === "" ? null : JSON.parse(text);
      this.seen.push({ path: request.url ?? "", headers: request.headers, body });
      const { round } = this;
      response.on("close", () => {
        if (response.writableFinished || round !== this.round) return;
        this.abandoned += 1;
        this.tellAbandoned();
      });
      this.tellSeen();
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
    this.round += 1;
    this.seen.length = 0;
    this.abandoned = 0;
    this.answers = answers;
  }

  /** Until somebody goes before he is answered. */
  async untilAbandoned(): Promise<void> {
    if (this.abandoned > 0) return;
    await new Promise<void>((resolve) => {
      this.tellAbandoned = resolve;
    });
  }

  /** Until a request has arrived. */
  async untilSeen(): Promise<void> {
    if (this.seen.length > 0) return;
    await new Promise<void>((resolve) => {
      this.tellSeen = resolve;
    });
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
  if ("pieces" in what) return void stream(response, what.pieces);
  const headers = "headers" in what ? what.headers : {};
  response.writeHead(what.status ?? 200, { "content-type": "application/json", ...headers });
  response.end("text" in what ? what.text : JSON.stringify(what.body));
}

async function stream(response: ServerResponse, pieces: Piece[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces) {
    if (piece === "hang up") {
      // What was written before is on its way by then.
      setTimeout(() => response.socket?.destroy(), 20);
      return;
    }
    if (typeof piece !== "string") await piece;
    // Each in a packet of its own, as models speak.
    else await new Promise((resolve) => response.write(piece, () => setImmediate(resolve)));
  }
  response.end();
}

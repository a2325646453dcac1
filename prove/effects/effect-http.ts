import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "../../src/core/base/json";
import type { EffectLookup } from "../../src/core/calls/host";
import { absent, found, ToolFailure } from "../../src/tools";
import type { EffectService, ServiceCall } from "./effect-service";
import type { Faults } from "./missions/faults";

/** The service over HTTP, on this machine only: its acts stay done when a worker dies. */
export class EffectHttp {
  private constructor(
    private readonly server: Server,
    private readonly address: string,
  ) {}

  /** @param faultsOf what goes wrong at the calls of a mission */
  static async open(service: EffectService, faultsOf: (mission: string) => Faults | undefined): Promise<EffectHttp> {
    // Connections stay open: one that is closed as a busy worker sends its next call would fail it.
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      answer(request, response, service, faultsOf).catch((error: Error) => {
        response.writeHead(500).end(error.message);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new EffectHttp(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /** A call as a tool makes it. @throws ToolFailure when the answer is lost, Error when the service refuses */
  async call(call: ServiceCall): Promise<Json> {
    const { status, body } = await this.post("/call", { ...call });
    if (status === 200) return body;
    if (status === 504) throw new ToolFailure("the answer was lost", { code: "unknown_outcome" });
    throw new Error(status === 409 ? "declined" : `the service failed: ${JSON.stringify(body)}`);
  }

  async lookUp(key: string): Promise<EffectLookup> {
    const { body } = await this.post("/look-up", { key });
    return body === null ? absent : found(body);
  }

  async undo(key: string, undoKey: string): Promise<null> {
    await this.post("/undo", { key, undoKey });
    return null;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async post(path: string, body: JsonObject): Promise<{ status: number; body: Json }> {
    const response = await fetch(`${this.address}${path}`, { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, body: response.ok ? JSON.parse(text) : text };
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  service: EffectService,
  faultsOf: (mission: string) => Faults | undefined,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const asked = JSON.parse(text);
  if (request.url === "/look-up") {
    const act = service.lookUp(asked.key);
    return void response.end(JSON.stringify(act === undefined ? null : service.answerOf(act)));
  }
  if (request.url === "/undo") {
    service.undo(asked.key, asked.undoKey);
    return void response.end("null");
  }
  const made = service.call(asked, faultsOf(asked.mission));
  if (made.kind === "done") return void response.end(JSON.stringify(service.answerOf(made.act)));
  response.writeHead(made.kind === "declined" ? 409 : 504).end();
}

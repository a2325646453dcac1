import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The external service of the order example: a shop and payment service on loopback. It counts every effect and, as
 * payment services do, answers a repeated idempotency key with the first answer instead of a second effect.
 */
export interface OrderService {
  url: string;
  /** Effects that really happened, by kind: `charges` is the number of real charges. */
  counts: { charges: number; refunds: number; shipments: number; receipts: number };
  /** Every request, repeated ones included. */
  requests: { path: string; key: string; repeated: boolean }[];
  close(): Promise<void>;
}

export interface OrderServiceOptions {
  /** Called when a request arrives, before anything happened. */
  beforeEffect?: (path: string, key: string) => Promise<void> | void;
  /** Called after an effect happened and before its answer is sent; the answer waits for it. */
  afterEffect?: (path: string, key: string) => Promise<void> | void;
  port?: number;
}

const EFFECTS: Record<string, { count: keyof OrderService["counts"]; answer: (n: number, args: Args) => object }> = {
  "/charges": { count: "charges", answer: (n, { order_id }) => ({ tx: `tx_${order_id}_${n}` }) },
  "/refunds": { count: "refunds", answer: (n, { order_id }) => ({ refund: `re_${order_id}_${n}` }) },
  "/shipments": { count: "shipments", answer: (n, { order_id }) => ({ parcel: `LX${order_id}${n}` }) },
  "/receipts": { count: "receipts", answer: () => ({ mail: "anna@example.com" }) },
};

interface Args {
  order_id?: number;
  [name: string]: unknown;
}

export async function startOrderService(options: OrderServiceOptions = {}): Promise<OrderService> {
  const counts = { charges: 0, refunds: 0, shipments: 0, receipts: 0 };
  const requests: OrderService["requests"] = [];
  const answers = new Map<string, object>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const key = String(request.headers["idempotency-key"] ?? "");
    const args = JSON.parse((await text(request)) || "{}") as Args;
    await options.beforeEffect?.(path, key);
    if (path === "/orders/get") return send(response, 200, { total: 4990, card: "visa-4242", customer: "anna" });
    const effect = EFFECTS[path];
    if (!effect) return send(response, 404, { error: `no such path ${path}` });
    const repeated = answers.has(`${path} ${key}`);
    requests.push({ path, key, repeated });
    if (!repeated) {
      counts[effect.count] += 1;
      answers.set(`${path} ${key}`, effect.answer(counts[effect.count], args));
      await options.afterEffect?.(path, key);
    }
    send(response, 200, answers.get(`${path} ${key}`) as object);
  }

  // Connections stay open: one that is closed as a busy worker sends its next call would fail it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    handle(request, response).catch((error: unknown) => send(response, 400, { error: String(error) }));
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function text(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

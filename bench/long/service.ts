import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineTool, ToolRegistry } from "../../src/tools";

export interface Service {
  url: string;
  /** The keys that were charged. */
  charges: Set<string>;
  /** Calls whose key was charged before. They have no effect. */
  repeats: number;
  /** Those of them that Temporal made because the worker seemed lost. */
  attempts: number;
  close(): void;
}

/** Charges each idempotency key once, as a payment service does. */
export async function countingService(): Promise<Service> {
  const charges = new Set<string>();
  const service: Service = { url: "", charges, repeats: 0, attempts: 0, close: () => void server.close() };
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    if (charges.has(key)) {
      service.repeats += 1;
      // A busy machine may miss a heartbeat: then Temporal makes another attempt of the same call.
      if (request.headers["x-attempt"] !== "1") service.attempts += 1;
    }
    charges.add(key);
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, { url: `http://127.0.0.1:${port}/` });
}

export const toolsOf = (url: string): ToolRegistry =>
  new ToolRegistry([
    defineTool({ name: "look", signature: "(n :int) -> {n :int}", effect: "read", run: ({ n }) => ({ n }) }),
    defineTool({
      name: "charge",
      signature: "(n :int) -> :int",
      run: async ({ n }, { idempotencyKey, attempt }) => {
        const headers = { "idempotency-key": idempotencyKey, "x-attempt": String(attempt) };
        await fetch(url, { method: "POST", headers });
        return n;
      },
    }),
  ]);

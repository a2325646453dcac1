import { createServer } from "node:net";

/**
 * A port that is free, with port + 1000 free as well: the server's Web UI takes that one. Below 30,000, where systems take
 * no ports for outgoing connections: while a killed server is away, a client that reconnects could otherwise get its port
 * as its own, and connect to itself.
 */
export async function freePortPair(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 19_000);
    if ((await isFree(port)) && (await isFree(port + 1000))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

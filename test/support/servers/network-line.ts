import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The line between a worker and the server, which a test may interrupt. */
export class NetworkLine {
  private readonly sockets = new Set<Socket>();
  private state: "up" | "cut" | "frozen" = "up";

  private constructor(
    private readonly server: Server,
    host: string,
    port: number,
  ) {
    server.on("connection", (worker) => {
      if (this.state === "cut") return void worker.destroy();
      const upstream = connect(port, host);
      for (const [socket, other] of [
        [worker, upstream],
        [upstream, worker],
      ] as const) {
        this.sockets.add(socket);
        socket.on("data", (data) => other.write(data));
        socket.on("error", () => {});
        socket.on("close", () => {
          this.sockets.delete(socket);
          other.destroy();
        });
        if (this.state === "frozen") socket.pause();
      }
    });
  }

  /** @param address of the server */
  static async to(address: string): Promise<NetworkLine> {
    const [host = "", port] = address.split(":");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new NetworkLine(server, host, Number(port));
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Connections end, and new ones are refused. */
  cut(): void {
    this.state = "cut";
    for (const socket of this.sockets) socket.destroy();
  }

  /** Connections stay, and nothing passes. */
  freeze(): void {
    this.state = "frozen";
    for (const socket of this.sockets) socket.pause();
  }

  mend(): void {
    this.state = "up";
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

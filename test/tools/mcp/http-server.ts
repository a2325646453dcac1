import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { SERVERS } from "./sources";

/** @modelcontextprotocol/server-everything over Streamable HTTP, on the loopback interface. */
export interface HttpServer {
  url: string;
  port: number;
  kill(): Promise<void>;
}

export async function startEverything(port: number): Promise<HttpServer> {
  const flags = ["-r", path.join(__dirname, "loopback-only.cjs")];
  const child: ChildProcess = spawn(process.execPath, [...flags, SERVERS.everything, "streamableHttp"], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk;
      if (said.includes("listening on port")) resolve();
    });
    ended.then(() => reject(new Error(`it ended: ${said}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    kill: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** Passes everything on and keeps the headers that it saw. */
export async function startProxy(port: number) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming.headers);
    const onward = request(
      { host: "127.0.0.1", port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on("error", () => outgoing.destroy()).pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../src/node/settings";
import { ensureCli } from "../../src/server/temporal-cli";

const root = path.join(__dirname, "../..");

/** The address of the run's Temporal server (jest's global set-up starts it). */
export function testAddress(): string {
  const address = process.env.TEMPORAL_ADDRESS;
  if (!address) throw new Error("No test server: this test must stand below test/workflows, live, server, cli or web.");
  return address;
}

/** The Temporal CLI, for tests that need a server with settings of its own. */
export async function testCli(): Promise<string> {
  const { cache, downloadBase } = loadConfig(process.env);
  const { executable } = await ensureCli({ cache, downloadBase, env: process.env, progress: () => {} });
  return executable;
}

/** Something that listens on 127.0.0.1 and is no Temporal server. `answer` is what it says to each connection; none: silence. */
export async function listenForeign(
  port: number,
  answer: string | null,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    if (answer !== null) socket.end(answer);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return {
    port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A new empty folder below the system's temporary one, and how to remove it. */
export function temporaryFolder(name: string): { path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), `navigator-${name}-`));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface CliEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs the real `navigator` from the sources, in a process of its own.
 *
 * @param env replaces the whole environment but PATH and HOME, so that a developer's settings change no test.
 */
export function runCli(args: string[], env: NodeJS.ProcessEnv = {}, input = ""): Promise<CliEnd> {
  const hook = path.join(root, "scripts", "register-ts.cjs");
  const child = spawn(process.execPath, ["-r", hook, path.join(root, "src", "cli", "main.ts"), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd: env.PWD ?? root,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {}); // it ended without reading
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

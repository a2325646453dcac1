import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { type OwnServer, openOwnServer } from "../../prove/rig/own-server";

const MAIN = [path.join(__dirname, "../../cli/main.js"), path.join(__dirname, "../../dist/cli/main.js")].find((file) =>
  existsSync(file),
) as string;

/** How an orchestrator starts `navigator mcp`, with a server and a worker that are there. */
export const MCP_COMMAND = [MAIN, "mcp", "--no-embedded"];

/** Where orchestrators work: a Temporal server of its own, a worker, and MCP servers over HTTP, all of which can be killed. */
export class Site {
  private worker: ChildProcess | undefined;
  private readonly http = new Map<number, { child: ChildProcess; url: string }>();
  private isClosing = false;

  private constructor(
    private readonly temporal: OwnServer,
    readonly folder: string,
  ) {}

  static async open(httpServers: number): Promise<Site> {
    const folder = mkdtempSync(path.join(tmpdir(), "navigator-crowd-"));
    const site = new Site(await openOwnServer(), folder);
    try {
      await site.startWorker();
      for (let i = 0; i < httpServers; i++) await site.startHttp(i, 0);
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  get env(): { [name: string]: string } {
    return {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      TEMPORAL_ADDRESS: this.temporal.address,
      NAVIGATOR_PROJECT: "crowd",
      NAVIGATOR_HOME: path.join(this.folder, ".navigator"),
      NAVIGATOR_IDENTITY: path.join(this.folder, ".identity"),
      NAVIGATOR_LOG_LEVEL: "error",
    };
  }

  /** The address of one of the MCP servers over HTTP. It stays when the server is killed and comes back. */
  url(index: number): string {
    return (this.http.get(index % this.http.size) as { url: string }).url;
  }

  async killHttp(index: number): Promise<void> {
    const one = this.http.get(index % this.http.size) as { child: ChildProcess; url: string };
    await killed(one.child);
    await this.startHttp(index % this.http.size, Number(new URL(one.url).port));
  }

  async killWorker(): Promise<void> {
    await killed(this.worker);
    await this.startWorker();
  }

  killTemporal(): Promise<void> {
    return this.temporal.kill();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([killed(this.worker), ...[...this.http.values()].map(({ child }) => killed(child))]);
    await this.temporal.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startWorker(): Promise<void> {
    this.worker = this.start(["worker", "--json"]);
    await lineOf(this.worker, "worker_ready");
  }

  private async startHttp(index: number, port: number): Promise<void> {
    const child = this.start(["mcp", "--no-embedded", "--http", "--port", String(port), "--json"]);
    const { url } = JSON.parse(await lineOf(child, "mcp_ready")) as { url: string };
    this.http.set(index, { child, url });
  }

  private start(args: string[]): ChildProcess {
    return spawn(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", "pipe", this.isClosing ? "ignore" : "inherit"],
    });
  }
}

async function lineOf(child: ChildProcess, event: string): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    if (line.includes(event)) return line;
  throw new Error(`A process ended before it was ready (${event}).`);
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

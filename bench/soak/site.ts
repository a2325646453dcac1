import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { NavigatorClient } from "../../src/client/client";
import { loadConfig } from "../../src/node/settings";
import { serverStatus, startServer, stopServer } from "../../src/server/open-server";
import type { Life } from "./flat";
import { look, navigator, Running, runNavigator } from "./processes";
import { writeProject } from "./project";
import { Prometheus } from "./prometheus";
import { Outside } from "./service";
import { shortRules } from "./short-rules";

const SAMPLE_MS = 10_000;
const PROJECT = "soak";

interface WorkerOptions {
  version?: "v1" | "v2";
  queue?: string;
  env?: NodeJS.ProcessEnv;
}

/** Everything that runs: the embedded server, workers, Mission Control, Prometheus and the outside world. */
export class Site {
  /** Once a process is gone, its number may be another one's. */
  private readonly watched: { life: Life; lives: () => boolean }[] = [];
  readonly outside = new Outside();
  readonly workers = new Map<string, Running>();
  alerts: string[] = [];
  /** The state of the code that is deployed. */
  version: "v1" | "v2" = "v1";
  deploys = 0;
  /** Processes that were ended with SIGKILL. */
  kills = 0;
  private readonly addresses = new Map<string, string>();
  private web: Running | null = null;
  private started = 0;
  private sampling: NodeJS.Timeout | undefined;
  private serverPid: number | null = null;

  private constructor(
    readonly folder: string,
    readonly env: NodeJS.ProcessEnv,
    private readonly ports: { server: number; web: number; prometheus: number },
  ) {}

  client!: NavigatorClient;
  connection!: Connection;
  prometheus!: Prometheus;

  static async open(folder: string): Promise<Site> {
    writeProject(folder);
    const ports = { server: await freePortPair(), web: await freePortPair(), prometheus: await freePortPair() };
    const env: NodeJS.ProcessEnv = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NAVIGATOR_CACHE: process.env.NAVIGATOR_CACHE,
      NAVIGATOR_HOME: path.join(folder, "home"),
      NAVIGATOR_IDENTITY: path.join(folder, "identity"),
      NAVIGATOR_PORT: String(ports.server),
      NAVIGATOR_PROJECT: PROJECT,
    };
    const site = new Site(folder, env, ports);
    try {
      await site.begin();
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  private async begin(): Promise<void> {
    this.env.SOAK_SERVICE = await this.outside.open();
    await this.startServer();
    this.connection = await Connection.connect({ address: this.address });
    this.client = new NavigatorClient(new Client({ connection: this.connection }), { project: PROJECT });
    await this.startWorker("a");
    await this.startWorker("b");
    await this.startWeb();
    const { yaml, alerts } = shortRules(totalmem());
    this.alerts = alerts;
    const token = readFileSync(path.join(this.folder, "home", "mission-control.token"), "utf8").trim();
    const { web, prometheus: port } = this.ports;
    this.prometheus = await Prometheus.start(path.join(this.folder, "prometheus"), {
      rules: yaml,
      token,
      web: `127.0.0.1:${web}`,
      port,
    });
    for (const [name, address] of this.addresses) this.prometheus.setTarget(name, address);
    this.sampling = setInterval(() => this.sample(), SAMPLE_MS);
  }

  get lives(): Life[] {
    return this.watched.map(({ life }) => life);
  }

  get address(): string {
    return `127.0.0.1:${this.ports.server}`;
  }

  /** A worker that Prometheus scrapes until it is drained, as it would be with service discovery. */
  startWorker(name: string, { version = "v1", queue, env }: WorkerOptions = {}): Promise<Running> {
    const args = (metrics: string) => [
      ...navigator("worker", "--json", "--config", version, "--metrics-port", metrics),
      ...(queue === undefined ? [] : ["--task-queue", queue]),
    ];
    return this.startProgram(name, "worker_ready", args, env);
  }

  /** The same with a program of its own. @param args for the address of its metrics */
  async startProgram(
    name: string,
    readyWord: string,
    args: (metrics: string) => string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<Running> {
    const address = this.addresses.get(name) ?? `127.0.0.1:${await freePortPair()}`;
    const running = await this.run({ name: `worker ${name}`, role: "worker" }, args(address), readyWord, env);
    this.workers.set(name, running);
    this.addresses.set(name, address);
    this.prometheus?.setTarget(name, address);
    return running;
  }

  /** SIGTERM: it finishes its work, and is expected no more. */
  async drainWorker(name: string): Promise<void> {
    this.prometheus.setTarget(name, null);
    this.addresses.delete(name);
    await this.workers.get(name)?.stop();
    this.workers.delete(name);
  }

  async killWorker(name: string): Promise<void> {
    this.kills += 1;
    await this.workers.get(name)?.kill();
  }

  async startWeb(): Promise<void> {
    const args = ["web", "--json", "--config", "v1", "--port", String(this.ports.web)];
    this.web = await this.run({ name: "web", role: "web" }, navigator(...args), "web_ready");
  }

  async killWeb(): Promise<void> {
    this.kills += 1;
    await this.web?.kill();
  }

  async startServer(): Promise<void> {
    await startServer({ config: loadConfig(this.env), progress: () => {} });
    const pid = serverStatus({ home: this.env.NAVIGATOR_HOME as string })?.pid as number;
    this.serverPid = pid;
    const life: Life = { name: `server ${++this.started}`, role: "server", pid, samples: [] };
    this.watched.push({ life, lives: () => this.serverPid === pid });
  }

  async stopServer(): Promise<void> {
    this.serverPid = null;
    await stopServer({ home: this.env.NAVIGATOR_HOME as string });
  }

  private async run(
    life: Pick<Life, "name" | "role">,
    args: string[],
    readyWord: string,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Running> {
    const running = await Running.start(
      { ...life, name: `${life.name} ${++this.started}` },
      { args, env: { ...this.env, ...env }, cwd: this.folder, logs: path.join(this.folder, "logs"), readyWord },
    );
    this.watched.push({ life: running.life, lives: () => running.lives });
    return running;
  }

  command(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    return runNavigator(args, { ...this.env, ...env }, this.folder);
  }

  async close(): Promise<void> {
    clearInterval(this.sampling);
    await this.prometheus?.stop();
    await Promise.all([...this.workers.values(), ...(this.web === null ? [] : [this.web])].map((one) => one.stop()));
    await this.connection?.close();
    await this.stopServer();
    this.outside.close();
  }

  private sample(): void {
    for (const { life, lives } of this.watched) {
      const seen = lives() ? look(life.pid) : null;
      if (seen !== null) life.samples.push(seen);
    }
  }
}

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { type BundleOptions, bundleWorkflowCode } from "@temporalio/worker";
import { freePortPair } from "../prove/rig/free-port-pair";
import { loadConfig } from "../src/node/settings";
import { runningServer } from "../src/server/dev-server";
import { startServer, stopServer } from "../src/server/open-server";
import type { BenchMission } from "./missions";
import { type SideName, WorkerProcess, type WorkerSetup } from "./worker-process";

/** As in the build of Navigator's own bundle: modules that are only loaded first must stay. */
const webpackConfigHook: NonNullable<BundleOptions["webpackConfigHook"]> = (config) => ({
  ...config,
  optimization: { ...config.optimization, sideEffects: false },
});

/** All that the rows share: a Temporal server of the benchmark's own, the script, and the workers that run. */
export class Setting {
  private readonly workers = new Set<WorkerProcess>();

  private constructor(
    readonly client: Client,
    readonly version: string,
    private readonly connection: Connection,
    /** What is in it goes with the setting. */
    readonly folder: string,
    readonly address: string,
  ) {}

  static async open(
    missions: Pick<BenchMission, "name" | "script">[],
    progress: (line: string) => void,
  ): Promise<Setting> {
    const folder = mkdtempSync(path.join(tmpdir(), "navigator-bench-"));
    try {
      const port = String(await freePortPair());
      const config = loadConfig({ ...withoutTemporal(process.env), NAVIGATOR_HOME: folder, NAVIGATOR_PORT: port });
      const { address, version } = await startServer({ config, progress });
      const script = Object.fromEntries(missions.map(({ name, script }) => [name, script]));
      writeFileSync(path.join(folder, "script.json"), JSON.stringify(script));
      const connection = await Connection.connect({ address });
      const setting = new Setting(new Client({ connection }), version, connection, folder, address);
      progress("Bundling the hand-written workflows ...");
      await setting.bundle("hand-written");
      return setting;
    } catch (error) {
      await remove(folder);
      throw error;
    }
  }

  /** The process of the Temporal server. */
  get serverPid(): number {
    const running = runningServer(this.folder);
    if (running === null) throw new Error("The Temporal server of the benchmark has ended.");
    return running.pid;
  }

  /** A task queue that nobody uses yet. */
  queue(name: string): string {
    return `bench-${name}-${randomUUID().slice(0, 8)}`;
  }

  /** Bundles one of the benchmark's own workflows; `shared`: runs share one copy of its code, as Navigator's do. */
  async bundle(name: string, { shared = false } = {}): Promise<string> {
    const workflowsPath = require.resolve(`./workflows/${name}`);
    const preloadModules = shared ? [require.resolve("../src/core/base/zod-first-use"), workflowsPath] : [];
    const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, webpackConfigHook, logger: QUIET });
    const file = path.join(this.folder, `${name}.js`);
    writeFileSync(file, code);
    return file;
  }

  /** Starts a worker; it is ready when `next("ready")` says so. */
  spawn(side: SideName, taskQueue: string, options: Partial<WorkerSetup> = {}): WorkerProcess {
    const worker = new WorkerProcess({
      side,
      taskQueue,
      address: this.address,
      script: path.join(this.folder, "script.json"),
      calls: path.join(this.folder, "workers"),
      keeps: true,
      bundle: path.join(this.folder, "hand-written.js"),
      tuned: true,
      hold: false,
      clock: false,
      ...options,
    });
    this.workers.add(worker);
    return worker;
  }

  async worker(side: SideName, taskQueue: string, options: Partial<WorkerSetup> = {}): Promise<WorkerProcess> {
    const worker = this.spawn(side, taskQueue, options);
    await worker.next("ready");
    return worker;
  }

  /** Ends whatever this setting started, in any state. */
  async close(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.kill()));
    await this.connection.close();
    await remove(this.folder);
  }
}

async function remove(folder: string): Promise<void> {
  await stopServer({ home: folder });
  rmSync(folder, { recursive: true, force: true });
}

const QUIET = {
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error: (text: string) => console.error(text),
  log() {},
};

/** A cluster that the environment names is not ours to load. */
const withoutTemporal = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_")));

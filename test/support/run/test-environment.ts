import { appendFileSync } from "node:fs";
import type { EnvironmentContext, JestEnvironmentConfig } from "@jest/environment";
import { TestEnvironment as NodeEnvironment } from "jest-environment-node";
import { cpuSoFar } from "./cpu";
import { Patience } from "./patience";
import { costsFile, readTestServer } from "./run-folder";

/** What one test file used, and what it left open. */
export interface FileCost {
  file: string;
  cpu: number;
  wall: number;
  /** Kinds of handles that would keep a process alive. */
  open: string[];
}

const openHandles = (): string[] => process.getActiveResourcesInfo();

/** What jest sends a worker at the end of the run. */
const END = 2;
// A worker that takes half a second to end, as on a busy machine, is ended by force and called a leak. What stayed open is found below.
process.on("message", ([kind]: [number]) => kind === END && process.exit());

/** How long a file's handles may take to close after its last test: sockets do so in steps. */
const CLOSING_MS = 2_000;

/**
 * Where each test file runs: Node, with this run's Temporal server where the file's project has one. It measures what the file used:
 * from here on to the end, with the processes that it started and that have ended.
 */
export default class TestEnvironment extends NodeEnvironment {
  private readonly since = { cpu: cpuSoFar(), wall: Date.now(), open: openHandles() };
  private readonly file: string;
  private readonly server: boolean;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    this.file = context.testPath;
    this.server = config.projectConfig.testEnvironmentOptions.server === true;
  }

  override async setup(): Promise<void> {
    await super.setup();
    if (!this.server) return;
    const server = await serverOfThisRun();
    if ("error" in server) throw new Error(`There is no Temporal server: ${server.error}`);
    // For the test, and for the processes that it starts without an environment of their own.
    for (const { env } of [this.global.process, process]) Object.assign(env, server.env);
  }

  override async teardown(): Promise<void> {
    const open = await leftOpen(this.since.open);
    const cost: FileCost = {
      file: this.file,
      cpu: cpuSoFar() - this.since.cpu,
      wall: (Date.now() - this.since.wall) / 1_000,
      open,
    };
    appendFileSync(costsFile(), `${JSON.stringify(cost)}\n`);
    await super.teardown();
  }
}

/** Its program may have to be built first: tests that need no server run meanwhile. */
async function serverOfThisRun() {
  for (;;) {
    const server = readTestServer();
    if (server !== undefined) return server;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function leftOpen(before: readonly string[]): Promise<string[]> {
  const patience = new Patience(CLOSING_MS);
  for (;;) {
    const more = openHandles();
    for (const kind of before) {
      const at = more.indexOf(kind);
      if (at !== -1) more.splice(at, 1);
    }
    if (more.length === 0 || patience.isOver()) return more;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

import { appendFileSync } from "node:fs";
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

/** How long a file's handles may take to close after its last test: sockets do so in steps. */
const CLOSING_MS = 2_000;

const openHandles = (): string[] => process.getActiveResourcesInfo();

/** What jest sends a worker at the end of the run. */
const END = 2;
const exit = process.exit.bind(process);
// A worker that takes half a second to end, as on a busy machine, is ended by force and called a leak. What stayed open is found below.
process.on("message", ([kind]: [number]) => kind === END && exit());

/** Measures a test file: from here on to its end, with the processes that it started and that have ended. */
export class MeasuredFile {
  private readonly since = { cpu: cpuSoFar(), wall: Date.now(), open: openHandles() };

  constructor(private readonly file: string) {}

  async end(): Promise<void> {
    const open = await leftOpen(this.since.open);
    const cost: FileCost = {
      file: this.file,
      cpu: cpuSoFar() - this.since.cpu,
      wall: (Date.now() - this.since.wall) / 1_000,
      open,
    };
    appendFileSync(costsFile(), `${JSON.stringify(cost)}\n`);
  }
}

/** This run's server. Its program may have to be built first: tests that need no server run meanwhile. */
export async function serverEnvironment(): Promise<NodeJS.ProcessEnv> {
  for (;;) {
    const server = readTestServer();
    if (server !== undefined) {
      if ("error" in server) throw new Error(`There is no Temporal server: ${server.error}`);
      return server.env;
    }
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

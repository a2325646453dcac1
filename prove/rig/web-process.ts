import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type CommandPlace, startCommand } from "./command";
import { whenInterrupted } from "./interrupted";

/** `navigator web` as a separate process, which can be killed and comes back at the same address. */
export class WebProcess {
  private constructor(
    private readonly place: CommandPlace,
    private child: ChildProcessWithoutNullStreams,
    /** `http://127.0.0.1:PORT`. */
    readonly url: string,
    /** Of the user of this machine. */
    readonly token: string,
    private stay: () => void,
  ) {}

  static async open(place: CommandPlace): Promise<WebProcess> {
    const { child, started, stay } = await start(place, "0");
    return new WebProcess(place, child, started.url, new URL(started.link).hash.replace("#token=", ""), stay);
  }

  /** SIGKILL; resolves when it answers again. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
    const { child, stay } = await start(this.place, new URL(this.url).port);
    this.child = child;
    this.stay = stay;
  }

  close(): Promise<void> {
    return this.end("SIGTERM");
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.stay();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill(signal);
    await ended;
  }
}

async function start(place: CommandPlace, port: string) {
  const child = startCommand(["web", "--port", port, "--json"], place);
  child.stdin.end();
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2_000);
  });
  const stay = whenInterrupted(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(([exit]) => {
    throw new Error(`The web server ended with ${exit} before it was ready: ${output}`);
  });
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  ended.catch(() => {}); // it ends some time
  return { child, stay, started: JSON.parse(line) as { url: string; link: string } };
}

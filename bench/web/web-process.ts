import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export interface WebSetup {
  address: string;
  taskQueue: string;
  /** For its data. */
  folder: string;
  /** Whoever sends it is let in. */
  token: string;
}

export type FromWeb = { event: "ready"; url: string } | { event: "memory"; rss: number };
export type ToWeb = { ask: "memory" };

/** The web server as a process of its own. */
export class WebProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly token: string,
  ) {}

  static async start(setup: WebSetup): Promise<WebProcess> {
    const child = fork(path.join(__dirname, "web-main.js"), [JSON.stringify(setup)], {
      execArgv: ["--expose-gc"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const { url } = await next(child, "ready");
    return new WebProcess(child, url, setup.token);
  }

  /** @throws Error for an answer that is no success */
  async get(place: string): Promise<string> {
    const response = await this.open(place);
    return response.text();
  }

  async open(place: string, signal?: AbortSignal): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.url}${place}`, { headers, ...(signal ? { signal } : {}) });
    if (!response.ok) throw new Error(`${response.status} ${place}: ${await response.text()}`);
    return response;
  }

  /** Bytes of main memory, after a collection of garbage. */
  async memory(): Promise<number> {
    const answer = next(this.child, "memory");
    this.child.send({ ask: "memory" } satisfies ToWeb);
    return (await answer).rss;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }
}

function next<E extends FromWeb["event"]>(child: ChildProcess, event: E): Promise<Extract<FromWeb, { event: E }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: FromWeb) => {
      if (message.event !== event) return;
      child.off("message", onMessage).off("exit", onExit);
      resolve(message as Extract<FromWeb, { event: E }>);
    };
    const onExit = (code: number | null) => reject(new Error(`The web server ended (${code}) before "${event}".`));
    child.on("message", onMessage).once("exit", onExit);
  });
}

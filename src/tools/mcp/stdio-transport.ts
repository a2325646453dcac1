import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { MAX_MESSAGE_BYTES } from "./answer-limit";

/** A message that was never handed over: what it asked for was not done. */
export class NotSentError extends Error {}

export interface StdioServer {
  command: string;
  args: string[];
  env: { [name: string]: string };
  cwd: string;
}

/** Output that is still on its way when a process has ended. */
const LAST_OUTPUT_MS = 300;
const POLITE_MS = 1_000;
const FIRM_MS = 2_000;

/**
 * A server as a separate process, which the client talks to over stdin and stdout. The SDK's own transport leaves
 * servers in the worker's process group: there Ctrl-C reaches them before the worker has finished its calls, and what a
 * wrapper such as `npx` started outlives the wrapper.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** By the names `stderr` and `pid` the SDK knows a process: one that does not answer `server/discover` speaks an older protocol. */
  readonly stderr = null;
  readonly output = new LastLines();
  /** How the process ended: `exit code 1`, `SIGKILL`; undefined while it runs. */
  ended: string | undefined;
  private readonly buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  private child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  private gone: Promise<void> = Promise.resolve();

  constructor(private readonly server: StdioServer) {}

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.server;
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(new NotSentError(error.message, { cause: error })));
    });
    const group = child.pid as number;
    guard(group);
    child.on("error", (error) => this.onerror?.(error));
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stderr.on("data", (chunk: Buffer) => this.output.add(chunk));
    child.stdout.on("data", (chunk: Buffer) => this.received(chunk));
    this.gone = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.ended = signal ?? `exit code ${code}`;
        // What it started is of no use without it.
        signalGroup(group, "SIGKILL");
        unguard(group);
        setTimeout(resolve, LAST_OUTPUT_MS);
        child.once("close", resolve);
      });
    });
    void this.gone.then(() => this.onclose?.());
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.child?.stdin;
      if (!stdin?.writable) return reject(new NotSentError("the server is not running"));
      stdin.write(serializeMessage(message), (error) =>
        error ? reject(new NotSentError(error.message, { cause: error })) : resolve(),
      );
    });
  }

  /** The end of its input is the wish to end; then SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || this.ended !== undefined) return;
    child.stdin.end();
    if (await this.isGoneIn(POLITE_MS)) return;
    signalGroup(child.pid, "SIGTERM");
    if (await this.isGoneIn(FIRM_MS)) return;
    signalGroup(child.pid, "SIGKILL");
    await this.gone;
  }

  private isGoneIn(ms: number): Promise<boolean> {
    return Promise.race([
      this.gone.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(resolve, ms, false).unref()),
    ]);
  }

  private received(chunk: Buffer): void {
    try {
      this.buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message, such as a greeting: the next one may be.
        this.onerror?.(error as Error);
      }
    }
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // nobody is left in it
  }
}

const MAX_LINES = 8;
const MAX_CHARS = 2_000;

/** The end of a process's output: enough to know why it failed, whatever came before. */
class LastLines {
  private text = "";

  add(chunk: Buffer): void {
    this.text = (this.text + chunk.toString("utf8")).slice(-MAX_CHARS);
  }

  /** Joined as they were; "" when there was no output. */
  get lines(): string {
    return this.text.trimEnd().split("\n").slice(-MAX_LINES).join("\n").trim();
  }
}

/**
 * Ends the servers of a worker that was killed. SIGKILL leaves a process no time to end its children, and not every
 * server ends when its input closes. So a small shell waits until its input ends, which is the end of this
 * process, and then ends the registered process groups.
 */
const SCRIPT = `
groups=" "
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
[ "$groups" = " " ] && exit 0
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
`;

let shell: ChildProcess | undefined;
const guarded = new Set<number>();

/** From now on the process group ends with this process, however that ends. */
function guard(group: number): void {
  guarded.add(group);
  if (shell) return sendLine(`add ${group}`);
  // A separate session: Ctrl-C on the terminal must not end it before those it waits for.
  shell = spawn("/bin/sh", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell servers are still ended when the worker ends in order.
  shell.on("error", () => {
    shell = undefined;
  });
  shell.on("exit", () => {
    shell = undefined;
  });
  shell.stdin?.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?(): void }).unref?.();
  for (const one of guarded) sendLine(`add ${one}`);
}

/** The group has ended: its number may soon be reused. */
function unguard(group: number): void {
  if (guarded.delete(group)) sendLine(`drop ${group}`);
}

function sendLine(line: string): void {
  shell?.stdin?.write(`${line}\n`);
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Life, Sample } from "./flat";

const MAIN = path.join(__dirname, "..", "..", "cli", "main.js");

/** A command that goes on until it is stopped or killed: `navigator worker`, `navigator web`, or a program of ours. */
export class Running {
  private constructor(
    readonly life: Life,
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
    /** What it said when it was ready. */
    readonly ready: { url?: string },
  ) {}

  static async start(
    { name, role }: Pick<Life, "name" | "role">,
    { args, env, cwd, logs, readyWord }: Command,
  ): Promise<Running> {
    const child = spawn(process.execPath, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "exit");
    child.stderr.pipe(createWriteStream(path.join(logs, `${name.replaceAll(" ", "-")}.log`), { flags: "a" }));
    const ready = await new Promise<{ url?: string }>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.includes(readyWord)) resolve(JSON.parse(line));
      });
      child.once("exit", (code) => reject(new Error(`${name} ended (exit code ${code}) before it was ready.`)));
    });
    return new Running({ name, role, pid: child.pid as number, samples: [] }, child, ended, ready);
  }

  get lives(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** SIGKILL: it can finish and report nothing. */
  kill(): Promise<void> {
    return this.end("SIGKILL");
  }

  /** SIGTERM: it finishes its work first. */
  stop(): Promise<void> {
    return this.end("SIGTERM");
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.lives) this.child.kill(signal);
    await this.ended;
  }
}

interface Command {
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  logs: string;
  /** The line of stdout, which is JSON, that has it says that the process is ready. */
  readyWord: string;
}

/** The arguments of a command of Navigator. */
export const navigator = (...args: string[]): string[] => [MAIN, ...args];

/** Runs a command of Navigator to its end. @throws Error with what it said */
export async function runNavigator(args: string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const child = spawn(process.execPath, navigator(...args), { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const [out, said]: string[][] = [[], []];
  child.stdout.on("data", (chunk) => out?.push(String(chunk)));
  child.stderr.on("data", (chunk) => said?.push(String(chunk)));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`navigator ${args.join(" ")} ended with ${code}: ${said?.join("")}`);
  return (out ?? []).join("");
}

/** null: the process is gone. */
export function look(pid: number): Sample | null {
  try {
    // Without pages of program files: they count as used once they were read, and the kernel takes them back.
    const [, kib = "0"] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return { at: Date.now(), rss: Number(kib) * 1024, files: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return null;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

interface Answer {
  id: number;
  answer?: unknown;
  error?: string;
}

/** The process with the suite's simulators: one JSON object a line, asked and answered. */
export class BridgeProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  private asked = 0;

  constructor(python: string, args: string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(python, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on("line", (line) => this.take(line));
    this.child.once("error", (error) => this.fail(error));
    this.child.once("exit", (code, signal) =>
      this.fail(new Error(`The bridge ended (${signal ?? `exit code ${code}`}).`)),
    );
  }

  /** @throws Error what the other side threw */
  async ask<T>(op: string, args: object = {}): Promise<T> {
    const id = ++this.asked;
    const answer = new Promise<unknown>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.child.stdin?.write(`${JSON.stringify({ ...args, id, op })}\n`);
    return (await answer) as T;
  }

  async close(): Promise<void> {
    const ended = this.child.exitCode === null && this.child.signalCode === null ? once(this.child, "exit") : null;
    this.child.stdin?.end();
    await ended;
  }

  private take(line: string): void {
    const { id, answer, error } = JSON.parse(line) as Answer;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(`The bridge failed: ${error}`));
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Answer, Asked } from "./evaluate";

/** A side that runs in a process of its own, and answers one question at a time. */
export class PlainSide {
  private readonly child: ChildProcess;

  constructor(file: string, args: string[] = []) {
    this.child = fork(file, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }

  async ask(asked: Asked): Promise<Answer> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      const answer = once(this.child, "message", { signal }).then(([message]) => message as Answer);
      const exit = once(this.child, "exit", { signal }).then(([code]): never => {
        throw new Error(`a process of the benchmark ended (exit code ${code})`);
      });
      this.child.send(asked);
      return await Promise.race([answer, exit]);
    } finally {
      ended.abort();
    }
  }

  stop(): void {
    this.child.kill("SIGKILL");
  }
}

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { DeterminismViolationError } from "@temporalio/workflow";
import type { ExportedHistory } from "../recorded";

/** The code as it is shipped, or the same with the probe of view-probe.ts inside. */
export type ReplayedCode = "shipped" | "probed";

/** What the workflow's own queries answered once it had seen the first `seen` events. */
export interface OwnView {
  seen: number;
  effects: unknown;
  /** Of an agent's run; undefined for a plan and a task. */
  rows: unknown;
  missionLog: unknown;
}

/** What replay-service.ts is asked, one history after another, and what it answers. */
export interface ReplayRequest {
  code: ReplayedCode;
  history: ExportedHistory;
}

export interface ReplayAnswer {
  error?: { name: string; message: string; stack?: string };
  views: OwnView[];
}

/**
 * A process that replays. A worker that replays takes the whole process for its own: from then on, each promise in it
 * is looked at, and each stack trace is read twice. In a process of the test runner, all that follows would be slow.
 */
export class ReplayProcess {
  private readonly child: ChildProcess;
  private last: Promise<unknown> = Promise.resolve();

  constructor() {
    const hook = path.join(__dirname, "../../../scripts/register-ts.cjs");
    this.child = fork(path.join(__dirname, "replay-service.ts"), {
      execArgv: ["-r", hook],
      serialization: "advanced",
    });
  }

  /** What the probe saw; nothing for the code as it is shipped. @throws DeterminismViolationError, or what else ended the replay. */
  replay(code: ReplayedCode, history: ExportedHistory): Promise<OwnView[]> {
    const answer = this.last.then(() => this.ask({ code, history }));
    this.last = answer.catch(() => {});
    return answer;
  }

  async close(): Promise<void> {
    await this.last;
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.disconnect();
    await ended;
  }

  private async ask(request: ReplayRequest): Promise<OwnView[]> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      const answer = Promise.race([
        once(this.child, "message", { signal }),
        once(this.child, "exit", { signal }).then(([code]) => {
          throw new Error(`The process that replays ended with ${code}.`);
        }),
      ]);
      this.child.send(request);
      const [{ error, views }] = (await answer) as [ReplayAnswer];
      if (error) throw asThrown(error);
      return views;
    } finally {
      ended.abort();
    }
  }
}

function asThrown({ name, message, stack }: NonNullable<ReplayAnswer["error"]>): Error {
  const error = name === "DeterminismViolationError" ? new DeterminismViolationError(message) : new Error(message);
  return Object.assign(error, { stack: `${stack}\nreplayed for\n${error.stack}` });
}

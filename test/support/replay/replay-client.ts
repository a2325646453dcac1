import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { DeterminismViolationError } from "@temporalio/workflow";
import type { ExportedHistory } from "../recorded";
import {
  type OwnView,
  onMessages,
  type ReplayAnswer,
  type ReplayedCode,
  replaySockets,
  sendMessage,
} from "./replay-messages";

/** A connection to the process that replays for all test files of this run. */
export class ReplayClient {
  private readonly waiting: { resolve(answer: ReplayAnswer): void; reject(error: Error): void }[] = [];

  private constructor(private readonly socket: Socket) {
    onMessages<ReplayAnswer>(socket, (answer) => this.waiting.shift()?.resolve(answer));
    const end = (error?: Error) => {
      for (const { reject } of this.waiting.splice(0))
        reject(error ?? new Error("The process that replays has ended: its error output says why."));
    };
    socket.on("error", end).on("close", () => end());
  }

  static async connect(): Promise<ReplayClient> {
    const sockets = replaySockets();
    const starter = connect(sockets.starter).setEncoding("utf8");
    let said = "";
    starter.on("data", (text: string) => (said += text));
    await once(starter, "end");
    if (said !== "ready") throw new Error(said);
    const socket = connect(sockets.service);
    await once(socket, "connect");
    return new ReplayClient(socket);
  }

  /** What the probe saw; nothing for the code as it is shipped. @throws DeterminismViolationError, or what else ended the replay. */
  async replay(code: ReplayedCode, history: ExportedHistory): Promise<OwnView[]> {
    const asked = new Promise<ReplayAnswer>((resolve, reject) => this.waiting.push({ resolve, reject }));
    sendMessage(this.socket, { code, history });
    const { error, views } = await asked;
    if (error) throw asThrown(error);
    return views;
  }

  close(): void {
    this.socket.destroy();
  }
}

function asThrown({ name, message, stack }: NonNullable<ReplayAnswer["error"]>): Error {
  const error = name === "DeterminismViolationError" ? new DeterminismViolationError(message) : new Error(message);
  return Object.assign(error, { stack: `${stack}\nreplayed for\n${error.stack}` });
}

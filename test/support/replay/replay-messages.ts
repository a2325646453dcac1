import type { Socket } from "node:net";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import type { ExportedHistory } from "../recorded";
import { runFolder } from "../run/run-folder";

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

/** The service listens at `service`; whoever connects to `starter` is told when it does (replay-starter.ts). */
export const replaySockets = () => ({
  starter: path.join(runFolder(), "replay-starter.sock"),
  service: path.join(runFolder(), "replay.sock"),
});

/** Messages over a socket: each is its length in four bytes, and then itself. */
export function sendMessage(socket: Socket, message: ReplayRequest | ReplayAnswer): void {
  const body = serialize(message);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  socket.write(Buffer.concat([length, body]));
}

export function onMessages<T>(socket: Socket, receive: (message: T) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      receive(deserialize(rest.subarray(4, end)) as T);
      rest = rest.subarray(end);
    }
  });
}

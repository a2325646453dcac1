import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { replaySockets } from "./replay-messages";

/**
 * Starts the process that replays histories for all test files of a run, as soon as one of them wants to replay. A worker that replays
 * takes its whole process for its own: from then on each promise in it is looked at, and each stack trace is read twice. In a process
 * of the test runner, all that follows would be slow; and one for each file would load the same code again and again.
 */
let starter: Server | undefined;
let service: Promise<ChildProcess> | undefined;

export function offerReplays(): void {
  starter = createServer((socket) => {
    socket.on("error", () => {});
    service ??= startService();
    service.then(
      () => socket.end("ready"),
      (error: Error) => socket.end(error.message),
    );
  });
  // Neither keeps the process of jest alive.
  starter.listen(replaySockets().starter).unref();
}

async function startService(): Promise<ChildProcess> {
  const hook = path.join(__dirname, "../../../scripts/register-ts.cjs");
  const child = fork(path.join(__dirname, "replay-service.ts"), { execArgv: ["-r", hook] });
  child.unref();
  const [begun] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (begun !== "ready") throw new Error(`The process that replays ended with ${begun}.`);
  child.channel?.unref();
  return child;
}

export async function endReplays(): Promise<void> {
  starter?.close();
  const child = await service?.catch(() => undefined);
  [starter, service] = [undefined, undefined];
  for (const file of Object.values(replaySockets())) rmSync(file, { force: true });
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.ref();
  child.disconnect();
  await ended;
}

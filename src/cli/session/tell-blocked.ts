import type { BlockedRun } from "../../client/blocked";
import type { NavigatorClient } from "../../client/client";
import type { CommandIo } from "../terminal/io";

/** For people: what no worker has, for which run, and what to do. */
export const blockedLines = (blocked: readonly BlockedRun[]): string[] =>
  blocked.map(({ workflow_id, text, help }) => `blocked: ${text} (${workflow_id})\n  ${help}`);

const EVERY_MS = 2_000;

/**
 * Tells on stderr when a watched run, or one below it, is blocked: a command that only waits would look hung. `stop`
 * waits for the last look, which must not outlive its connection.
 */
export function tellBlocked(io: CommandIo, client: NavigatorClient, workflowId: string): { stop(): Promise<void> } {
  const told = new Set<string>();
  const look = async () => {
    for (const { workflow_id, text, help } of await client.blocked(workflowId)) {
      const line = `blocked: ${text}${workflow_id === workflowId ? "" : ` (${workflow_id})`}`;
      if (!told.has(line)) io.err(`${line}\n  ${help}\n  It goes on by itself when a worker has it.`);
      told.add(line);
    }
  };
  let last = Promise.resolve();
  const timer = setInterval(() => {
    // A list that fails is no reason to stop watching; the next one may be answered.
    last = last.then(look).catch(() => {});
  }, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return last;
    },
  };
}

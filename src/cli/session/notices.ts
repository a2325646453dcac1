import type { BlockedRun } from "../../client/blocked";
import type { NavigatorClient } from "../../client/client";
import { missionEnd } from "../../client/history";
import { missionHistories } from "../../client/mission-tree";
import { readHistory } from "../../core/history/read/history";
import { type MissingThing, missionFacts } from "../../core/history/stream/mission-facts";
import type { MissionHistories } from "../../core/history/trace/read-mission";
import { shellWord } from "../../node/shell-word";
import { failureLines } from "../show/render-missions";
import type { CommandIo } from "../terminal/io";

/** For people: what no worker has, for which run, and what to do. */
export const blockedLines = (blocked: readonly BlockedRun[]): string[] =>
  blocked.map(({ workflow_id, text, help }) => `blocked: ${text} (${workflow_id})\n  ${help}`);

const EVERY_MS = 2_000;

/**
 * Shows on stderr when a watched run, or one below it, is blocked: a command that only waits would look hung. `stop` waits for the
 * last look, which must not outlive its connection. It also shows what a failed run lacked between two looks.
 */
export function reportBlocked(io: CommandIo, client: NavigatorClient, workflowId: string): { stop(): Promise<void> } {
  const shown = new Set<string>();
  const show = (from: string, { text, help }: Pick<MissingThing, "text" | "help">, next: string) => {
    const line = `blocked: ${text}${from === workflowId ? "" : ` (${from})`}`;
    if (!shown.has(line)) io.err(`${line}\n  ${help}${next}`);
    shown.add(line);
  };
  const look = async () => {
    for (const { workflow_id, ...missing } of await client.blocked(workflowId))
      show(workflow_id, missing, "\n  It continues automatically when a worker has it.");
  };
  const lookBack = async () => {
    const end = await missionEnd(client.temporal.workflow.getHandle(workflowId));
    if (end?.state !== "failed") return;
    for (const { from, missing } of blockedIn(await missionHistories(client, workflowId))) show(from, missing, "");
  };
  let last = Promise.resolve();
  const timer = setInterval(() => {
    // A list that fails is no reason to stop watching; the next one may be answered.
    last = last.then(look).catch(() => {});
  }, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      // The result of the run is there: the command shows it, whatever this look gives.
      return last.then(lookBack).catch(() => {});
    },
  };
}

/** What calls of a mission lacked, also those that failed before the run was blocked. */
function blockedIn({ workflow_id: from, runs, children }: MissionHistories): { from: string; missing: MissingThing }[] {
  const facts = runs.flatMap((run) => missionFacts(from, "", readHistory(run)));
  const lacked = facts.flatMap((fact) => ("missing" in fact && fact.missing ? [{ from, missing: fact.missing }] : []));
  return [...lacked, ...children.flatMap(blockedIn)];
}

/** Who does the work of a mission that was started without waiting for it, or how it ended if it was started before. */
export async function reportDetached(
  io: CommandIo,
  { id, workflow }: { id: string; workflow: Parameters<typeof missionEnd>[0] },
  config: string | undefined,
): Promise<void> {
  const end = await missionEnd(workflow);
  if (end !== null) {
    const lines = failureLines(workflow.workflowId, end, io.color);
    for (const line of [
      ...(lines.length === 0 ? ["It has ended."] : []),
      `See what it did: navigator log ${shellWord(id)}`,
      ...lines,
    ])
      io.err(line);
    return;
  }
  const project = config === undefined ? "" : ` --config ${shellWord(config)}`;
  io.err(`A worker does the work. If none runs: navigator worker${project}`);
  io.err(`See how it goes: navigator log ${shellWord(id)}`);
}

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "@temporalio/client";
import { exportRuns } from "../../src/client/history";
import { toFile } from "./history-file";
import { type ExportedHistory, HISTORIES } from "./recorded";
import { replay } from "./replay/replay";

/** With NAVIGATOR_RECORD=1 histories are kept in test/histories: every later version of the code has to replay them. */
export const isRecording = process.env.NAVIGATOR_RECORD === "1";

/**
 * Replays the histories of one scenario, and keeps them where that is asked for. A recording that exists is never
 * replaced: it shows what an earlier version wrote. To record it again, delete its files first.
 */
export async function replayAndKeep(name: string, histories: readonly ExportedHistory[]): Promise<void> {
  for (const history of histories) await replay(history);
  keep(name, histories);
}

/** Keeps the histories of one scenario where that is asked for. @param name may begin with a folder: `embedded/refund` */
export function keep(name: string, histories: readonly ExportedHistory[]): void {
  if (!isRecording || existsSync(fileOf(name, 0))) return;
  mkdirSync(path.dirname(fileOf(name, 0)), { recursive: true });
  for (const [index, history] of histories.entries()) writeFileSync(fileOf(name, index), toFile(history));
}

/** The runs of these workflows, one after another: more than one for each that continued as new. */
export async function runsOf(temporal: Client, workflowIds: readonly string[]): Promise<ExportedHistory[]> {
  const runs = await Promise.all(workflowIds.map((id) => exportRuns(temporal, id)));
  return runs.flat() as unknown as ExportedHistory[];
}

/** Ids of the children that a workflow started, in order. */
export async function childrenOf(temporal: Client, workflowId: string): Promise<string[]> {
  const runs = await runsOf(temporal, [workflowId]);
  return runs.flatMap(({ events }) =>
    events.flatMap((event) => {
      const started = event.childWorkflowExecutionStartedEventAttributes as Started | undefined;
      return started === undefined ? [] : [started.workflowExecution.workflowId];
    }),
  );
}

/** A workflow and all that is below it. */
export async function treeOf(temporal: Client, workflowId: string): Promise<string[]> {
  const children = await childrenOf(temporal, workflowId);
  const below = await Promise.all(children.map((id) => treeOf(temporal, id)));
  return [workflowId, ...below.flat()];
}

/**
 * Resets a workflow to its first workflow task, as `temporal workflow reset` does it: the server sends the new run the messages that
 * came later. Gives the Temporal run id of the run that was reset.
 */
export async function resetToBegin({ workflow }: Client, workflowId: string): Promise<string> {
  const handle = workflow.getHandle(workflowId);
  const { events } = await handle.fetchHistory();
  const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done)?.eventId;
  const { runId } = await handle.describe();
  await workflow.workflowService.resetWorkflowExecution({
    namespace: workflow.options.namespace,
    workflowExecution: { workflowId, runId },
    reason: "a test",
    requestId: randomUUID(),
    ...(first ? { workflowTaskFinishEventId: first } : {}),
  });
  return runId;
}

interface Started {
  workflowExecution: { workflowId: string };
}

function fileOf(name: string, index: number): string {
  return path.join(HISTORIES, `${name}${index === 0 ? "" : `-${index + 1}`}.json`);
}

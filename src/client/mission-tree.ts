import type { Json } from "../core/base/json";
import { readHistory } from "../core/journal/history";
import { type Projection, projectRuns } from "../core/journal/project";
import type { TraceLog } from "../core/trace/line";
import { type MissionHistories, missionLogs } from "../core/trace/mission-logs";
import { type Story, storyOf } from "../core/trace/story";
import type { NavigatorClient } from "./client";

/** A workflow and the child workflows it started, each with its journal, Mission Log and timeline. */
export interface MissionTree {
  workflow_id: string;
  projection: Projection;
  /** What the run of an agent did, turn by turn; null for another workflow. */
  story: Story | null;
  children: MissionTree[];
}

/**
 * Reads a mission and all missions below it from their histories. Works for running and closed workflows, with no
 * worker up.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function missionTree(client: NavigatorClient, workflowId: string): Promise<MissionTree> {
  return projected(await missionHistories(client, workflowId));
}

/**
 * The traces of a mission and of all runs below it, parents first, read from their histories.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function missionTrace(client: NavigatorClient, workflowId: string): Promise<TraceLog[]> {
  return missionLogs(await missionHistories(client, workflowId));
}

/**
 * Exports the histories of a workflow and of all child workflows below it.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function missionHistories(client: NavigatorClient, workflowId: string): Promise<MissionHistories> {
  const runs = await client.runs(workflowId);
  const children: MissionHistories[] = [];
  for (const id of runs.flatMap(childIds)) children.push(await missionHistories(client, id));
  return { workflow_id: workflowId, runs, children };
}

const projected = ({ workflow_id, runs, children }: MissionHistories): MissionTree => ({
  workflow_id,
  projection: projectRuns(runs),
  story: storyOf(runs),
  children: children.map(projected),
});

/** Ids of the children a history started, in the order in which it asked for them: they may have begun in another. */
export function childIds(history: Json): string[] {
  return readHistory(history)
    .filter((event) => event.type === "ChildWorkflowExecutionStarted")
    .sort((a, b) => Number(a.attributes.initiatedEventId) - Number(b.attributes.initiatedEventId))
    .map((event) => {
      const execution = event.attributes.workflowExecution as { workflowId?: string } | undefined;
      return execution?.workflowId ?? "";
    })
    .filter((id) => id !== "");
}

/** All missions of a tree, parents first. */
export function flatten(tree: MissionTree): MissionTree[] {
  return [tree, ...tree.children.flatMap(flatten)];
}

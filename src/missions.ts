import type { NavigatorClient } from "./client";
import { readHistory } from "./core/journal/history";
import { type Projection, projectRuns } from "./core/journal/project";
import type { Json } from "./core/json";

/** A workflow and the child workflows it started, each mirrored from its history alone. */
export interface MissionTree {
  workflow_id: string;
  projection: Projection;
  children: MissionTree[];
}

/** Reads histories only: works for running and closed workflows, with no worker up. */
export async function missionTree(client: NavigatorClient, workflowId: string): Promise<MissionTree> {
  const runs = await client.runs(workflowId);
  const children: MissionTree[] = [];
  for (const id of runs.flatMap(childIds)) children.push(await missionTree(client, id));
  return { workflow_id: workflowId, projection: projectRuns(runs), children };
}

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

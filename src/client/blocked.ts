import type { Client } from "@temporalio/client";
import { type ProjectName, workflowIdIn } from "../core/base/ids";
import { isObject } from "../core/base/is-object";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { Missing } from "../core/calls/missing";
import { ask } from "./errors";
import { atOrBelow, inProject } from "./project-filter";

/** A run that waits for a worker that has what one of its calls needs. */
export interface BlockedRun extends Pick<Missing, "kind" | "name" | "text" | "help"> {
  workflow_id: string;
}

/**
 * The blocked runs, from Visibility alone: no worker is asked.
 *
 * @param workflowId only this workflow and the runs below it
 */
export async function readBlocked(
  { temporal, project }: { temporal: Client; project: ProjectName },
  workflowId?: string,
): Promise<BlockedRun[]> {
  const within = workflowId === undefined ? inProject(project) : atOrBelow(workflowIdIn(project, workflowId));
  const query = `${ATTRIBUTE.status} = "BLOCKED" AND ExecutionStatus = "Running" AND ${within}`;
  const blocked: BlockedRun[] = [];
  await ask(async () => {
    for await (const found of temporal.workflow.list({ query })) {
      const missing = found.memo?.blocked;
      if (isObject(missing)) blocked.push({ ...(missing as unknown as Missing), workflow_id: found.workflowId });
    }
  });
  return blocked;
}

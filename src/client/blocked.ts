import type { Client, Connection } from "@temporalio/client";
import { type ProjectName, workflowIdIn } from "../core/base/ids";
import type { Missing } from "../core/base/input/missing";
import { isObject } from "../core/base/is-object";
import { ATTRIBUTE, UNKNOWN_FORMAT_QUERY } from "../core/base/search-attributes";
import { shellWord } from "../node/shell-word";
import { ask } from "./errors";
import { unknownOf } from "./listing/mission-state";
import { atOrBelow, inProject } from "./listing/project-filter";

/** A run that waits for a worker: one that has what a call needs, or one of the version that started the run. */
export interface BlockedRun extends Pick<Missing, "name" | "text" | "help"> {
  kind: Missing["kind"] | "version";
  workflow_id: string;
}

/**
 * The blocked runs, from the server alone: no worker is asked.
 *
 * @param workflowId only this workflow and the runs below it; also those with a call on a task queue that nobody serves
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
  blocked.push(...(await readOfOtherVersions(temporal, within)));
  return workflowId === undefined ? blocked : [...blocked, ...(await readUnserved(temporal, within))];
}

/** Runs whose conventions this version does not know: its workers give their workflow tasks back. */
export async function readOfOtherVersions(temporal: Client, among?: string): Promise<BlockedRun[]> {
  const found: BlockedRun[] = [];
  await ask(async () => {
    const query = among === undefined ? UNKNOWN_FORMAT_QUERY : `${UNKNOWN_FORMAT_QUERY} AND ${among}`;
    for await (const { workflowId, searchAttributes } of temporal.workflow.list({ query })) {
      const name = unknownOf(String(searchAttributes[ATTRIBUTE.format]?.[0])) ?? "";
      found.push({
        workflow_id: workflowId,
        kind: "version",
        name,
        text: `it has ${name}, which this version of Navigator does not know`,
        help: "Start a worker of the version that started it. The run waits for one, and nothing of it is lost.",
      });
    }
  });
  return found;
}

/** Runs that are looked at: each is a call to the server. */
const MAX_DESCRIBED = 20;
/** A call that waits for less time is probably about to start. */
const PATIENCE_MS = 5_000;
/** Temporal's numbers for a call that nobody has taken, and for the queues of activities. */
const SCHEDULED = 1;
const ACTIVITIES = 2;

/**
 * Runs with a call that waits on a separate task queue (`task_queue` of a tool) that no worker serves. The run cannot
 * know it: the server alone knows who asks it for work.
 */
async function readUnserved(temporal: Client, among: string): Promise<BlockedRun[]> {
  const served = new Map<string, boolean>();
  const found: BlockedRun[] = [];
  await ask(async () => {
    let looked = 0;
    for await (const { workflowId, taskQueue } of temporal.workflow.list({
      query: `WorkflowType = "agentRun" AND ExecutionStatus = "Running" AND ${among}`,
    })) {
      const { raw } = await temporal.workflow.getHandle(workflowId).describe();
      for (const { state, scheduledTime, activityOptions } of raw.pendingActivities ?? []) {
        const queue = activityOptions?.taskQueue?.name ?? taskQueue;
        const waits_ms = Date.now() - Number(scheduledTime?.seconds ?? 0) * 1_000;
        if (state !== SCHEDULED || queue === taskQueue || waits_ms < PATIENCE_MS) continue;
        if (!served.has(queue)) served.set(queue, await isServed(temporal, queue));
        if (!served.get(queue)) found.push({ workflow_id: workflowId, ...unserved(queue) });
      }
      looked += 1;
      if (looked === MAX_DESCRIBED) break;
    }
  });
  return found;
}

const unserved = (queue: string): Omit<BlockedRun, "workflow_id"> => ({
  kind: "tool",
  name: queue,
  text: `a call waits on the task queue "${queue}", which no worker serves`,
  help: `Start a worker for it, with the tools of this queue: navigator worker --task-queue ${shellWord(queue)}`,
});

/** Whether a worker asks the server for activities of a task queue. */
export async function isServed({ connection, options }: Client, queue: string): Promise<boolean> {
  const { pollers } = await (connection as Connection).workflowService.describeTaskQueue({
    namespace: options.namespace,
    taskQueue: { name: queue },
    taskQueueType: ACTIVITIES,
  });
  return (pollers ?? []).length > 0;
}

import { type Client, type WorkflowHandle, WorkflowNotFoundError } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import type { Json } from "../core/base/json";
import { readHistory } from "../core/journal/history";
import { type RefusedSignal, refusedSignals } from "../core/journal/refused-signals";
import { type WorkflowEnd, workflowEnd } from "../core/journal/workflow-end";
import { readRuns } from "../core/trace/read-mission";
import { ask, grpcStatusOf, STATUS } from "./errors";

/** The history of a workflow, as exported JSON. */
export async function exportHistory(handle: WorkflowHandle): Promise<Json> {
  return JSON.parse(historyToJSON(await ask(() => fetchHistory(handle)))) as Json;
}

/** The only call of the SDK's client that throws the server's own error for a workflow, or a run of it, that is not there. */
async function fetchHistory(handle: WorkflowHandle) {
  try {
    return await handle.fetchHistory();
  } catch (error) {
    const status = grpcStatusOf(error);
    if (status?.code !== STATUS.notFound || /^namespace /i.test(status.details)) throw error;
    throw new WorkflowNotFoundError(status.details, handle.workflowId, undefined);
  }
}

/** The histories of all runs of a workflow that continued as new, oldest first; of any other workflow, its only one. */
export async function exportRuns(temporal: Client, workflowId: string): Promise<Json[]> {
  const fetch = (id: string, runId?: string) => exportHistory(temporal.workflow.getHandle(id, runId));
  // `fetch` throws for a missing workflow.
  return (await readRuns(fetch, workflowId)) as Json[];
}

/** How a workflow ended, from its history: no worker is asked. null: it has not ended. */
export async function missionEnd(handle: WorkflowHandle): Promise<WorkflowEnd | null> {
  const { status } = await ask(() => handle.describe());
  if (status.name === "RUNNING") return null;
  const last = readHistory(await exportHistory(handle)).at(-1);
  return last === undefined ? null : workflowEnd(last);
}

/**
 * The decisions on a review that came as signals and counted for nothing, from the history of the current run of its
 * workflow: no worker is asked. Of runs before format 10 nothing is known.
 */
export async function refusedDecisions(handle: WorkflowHandle, review: string): Promise<RefusedSignal[]> {
  return refusedSignals(readHistory(await exportHistory(handle))).filter(({ said }) => said.review === review);
}

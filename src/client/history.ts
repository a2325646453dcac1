import { type Client, type WorkflowHandle, WorkflowNotFoundError } from "@temporalio/client";
import type { Json } from "../core/base/json";
import { readHistory } from "../core/history/read/history";
import { type RefusedSignal, refusedSignals } from "../core/history/read/refused-signals";
import { historyEnd, type WorkflowEnd } from "../core/history/read/workflow-end";
import { readRuns } from "../core/history/trace/read-mission";
import { readableHistory } from "../node/encoding/readable-history";
import { ask, grpcStatusOf, STATUS } from "./errors";

/** The history of a workflow, as exported JSON. What is encoded in it is decoded. @throws NavigatorError also `encryption_key_missing` */
export async function exportHistory(handle: WorkflowHandle): Promise<Json> {
  return ask(async () => readableHistory(await fetchHistory(handle), handle.client.options.loadedDataConverter));
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
  return historyEnd(readHistory(await exportHistory(handle)));
}

/**
 * The facts that the current run of a workflow shows about a review, in addition to the review: how the workflow ended,
 * and the decisions that came as signals and counted for nothing. No worker is asked.
 */
export async function historyOfReview(
  handle: WorkflowHandle,
  review: string,
): Promise<{ end: WorkflowEnd | null; refused: RefusedSignal[] }> {
  const events = readHistory(await exportHistory(handle));
  return {
    end: historyEnd(events),
    refused: refusedSignals(events).filter(({ said }) => said.review === review),
  };
}

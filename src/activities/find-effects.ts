import { isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client";
import type { LoadedDataConverter } from "@temporalio/common";
import type { Json } from "../core/base/json";
import type { NavigatorActivities } from "../core/calls/activities";
import type { EffectEntry } from "../core/effects/entry";
import { packLedger } from "../core/effects/packed-ledger";
import { openChildren, projectEffects } from "../core/history/read/project-effects";
import { readableHistory } from "../node/encoding/readable-history";
import type { History } from "../node/sdk-internals/history-payloads";

/** The part of a Temporal client that reads histories. A `Client` implements it. */
export interface HistoryClient {
  options: { loadedDataConverter: LoadedDataConverter };
  workflow: { getHandle(workflowId: string, runId?: string): { fetchHistory(): Promise<History> } };
}

/**
 * The effects of an agent's run that ended without a Step: it was terminated, or ran out of time. Nobody knows what
 * became of the calls that were under way.
 */
export function findEffects(client: HistoryClient): NavigatorActivities["findEffects"] {
  return async ({ workflow_id, mission }) => {
    const entries = await effectsOf(client, workflow_id);
    const known = entries.map((entry) => ({
      ...entry,
      state: entry.state === "intended" ? ("unknown" as const) : entry.state,
      settled: false,
    }));
    return packLedger(mission, known);
  };
}

async function effectsOf(client: HistoryClient, workflowId: string): Promise<EffectEntry[]> {
  const history = await historyOf(client, workflowId);
  if (history === null) return [];
  const below = [];
  for (const child of openChildren(history)) below.push(...(await effectsOf(client, child)));
  return [...projectEffects(history), ...below];
}

/** The exported history of a run, the newest one of its workflow by default. null: the server has none, or not any more. */
export async function historyOf(client: HistoryClient, workflowId: string, runId?: string): Promise<Json | null> {
  try {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    return await readableHistory(history, client.options.loadedDataConverter);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** The client reads histories page by page, and throws the service's own error. */
const isAbsent = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || (isGrpcServiceError(error) && error.code === NOT_FOUND);

const NOT_FOUND = 5;

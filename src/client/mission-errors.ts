import type { Client } from "@temporalio/client";
import { readHistory } from "../core/journal/history";
import { failureText, historyEnd } from "../core/journal/workflow-end";
import { readableHistory } from "../encoding/readable-history";
import { ask } from "./errors";
import type { MissionState } from "./listing/mission-state";

/** Calls at a time. */
const AT_ONCE = 8;

/** Temporal's number for the last event of a history only. */
const CLOSE_EVENT = 2;

/** What is asked of a listed mission. */
interface Ended {
  workflow_id: string;
  run_id: string;
  state: MissionState;
  error?: string;
}

/** The missions, and of those that failed also why. Only the last event of each is read. */
export async function withErrors<T extends Ended>(temporal: Client, missions: readonly T[]): Promise<T[]> {
  const shown = [...missions];
  const failed = shown.flatMap(({ state }, at) => (HAS_CAUSE.includes(state) ? [at] : []));
  for (let from = 0; from < failed.length; from += AT_ONCE)
    await Promise.all(
      failed.slice(from, from + AT_ONCE).map(async (at) => {
        const mission = shown[at] as T;
        const error = await errorOf(temporal, mission);
        if (error !== undefined) shown[at] = { ...mission, error };
      }),
    );
  return shown;
}

const HAS_CAUSE: readonly MissionState[] = ["failed", "terminated"];

async function errorOf(
  { workflow, options: { namespace, loadedDataConverter } }: Client,
  { workflow_id, run_id }: Ended,
): Promise<string | undefined> {
  const { history } = await ask(() =>
    workflow.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId: workflow_id, runId: run_id },
      historyEventFilterType: CLOSE_EVENT,
    }),
  );
  const fail = historyEnd(readHistory(await ask(() => readableHistory(history ?? {}, loadedDataConverter))))?.fail;
  return fail && failureText(fail);
}

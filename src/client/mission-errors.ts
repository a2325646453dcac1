import type { Client } from "@temporalio/client";
import { defined } from "../core/base/defined";
import type { CallBehindFailure } from "../core/history/read/failed-call";
import { readHistory } from "../core/history/read/history";
import { failureText, historyEnd } from "../core/history/read/workflow-end";
import { readableHistory } from "../node/encoding/readable-history";
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
  failed_call?: CallBehindFailure;
}

/** The missions, and of those that failed also why. Only the last event of each is read. */
export async function withErrors<T extends Ended>(temporal: Client, missions: readonly T[]): Promise<T[]> {
  const shown = [...missions];
  const failed = shown.flatMap(({ state }, at) => (HAS_CAUSE.includes(state) ? [at] : []));
  for (let from = 0; from < failed.length; from += AT_ONCE)
    await Promise.all(
      failed.slice(from, from + AT_ONCE).map(async (at) => {
        const mission = shown[at] as T;
        shown[at] = { ...mission, ...(await errorOf(temporal, mission)) };
      }),
    );
  return shown;
}

const HAS_CAUSE: readonly MissionState[] = ["failed", "terminated"];

async function errorOf(
  { workflow, options: { namespace, loadedDataConverter } }: Client,
  { workflow_id, run_id }: Ended,
): Promise<Pick<Ended, "error" | "failed_call">> {
  const { history } = await ask(() =>
    workflow.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId: workflow_id, runId: run_id },
      historyEventFilterType: CLOSE_EVENT,
    }),
  );
  const end = historyEnd(readHistory(await ask(() => readableHistory(history ?? {}, loadedDataConverter))));
  if (end?.fail === undefined) return {};
  return { error: failureText(end.fail), ...defined({ failed_call: end.failed_call }) };
}

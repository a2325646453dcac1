import type { WorkflowHandle } from "@temporalio/client";
import { belowPrefix, isBelow } from "../core/base/ids";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import { RUN_CALLS } from "../core/calls/run-calls";
import { ask } from "./errors";
import { type EndedBy, reasonText, runningId } from "./run-control";

/**
 * How a workflow is terminated with all that runs below it. Agents of tasks and plans, and branches, outlive the workflow that
 * started them (docs/decisions/0022), so the server does not end them with it.
 */

/** The runs below a workflow that were ended with it. */
export interface TerminatedTree {
  /** Their workflow ids. */
  ended: string[];
  /** Those that still run, and why: each is terminated by its own id. */
  left: { workflow_id: string; message: string }[];
}

/**
 * Ends a workflow at once, and all runs below it, without asking them: nothing is cleaned up. The last event of each gets the
 * heartbeats of its open activities, up to the event's size limit: no other event has these answers. Those of runs that the
 * server ends with their parent are lost. Of a workflow that has ended already it ends what still runs below it.
 *
 * @throws NavigatorError `not_found`, and `already_over` where nothing ran
 */
export async function terminateRun(handle: WorkflowHandle, endedBy: EndedBy): Promise<TerminatedTree> {
  const tree: TerminatedTree = { ended: [], left: [] };
  let over: NavigatorError | undefined;
  const children = await terminateOne(handle, endedBy).catch((error: unknown) => {
    if (!(error instanceof NavigatorError) || error.code !== "already_over") throw error;
    over = error;
    return [];
  });
  const why = { by: endedBy.by, note: [`with ${handle.workflowId}`, endedBy.note].filter(Boolean).join(": ") };
  await terminateBelow(handle, why, children, tree);
  if (over !== undefined && tree.ended.length + tree.left.length === 0) throw over;
  return tree;
}

/** Looks so often for runs that began while others were ended. */
const ROUNDS = 3;

/** @param children that its parent has reported: a list of the server may lack the newest */
async function terminateBelow(
  handle: WorkflowHandle,
  endedBy: EndedBy,
  children: readonly string[],
  tree: TerminatedTree,
): Promise<void> {
  const seen = new Set<string>();
  const found = [...children];
  for (let round = 0; round < ROUNDS; round++) {
    found.push(...(await runningBelow(handle)));
    const fresh = found.filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    for (let id = found.shift(); id !== undefined; id = found.shift()) {
      if (seen.has(id)) continue;
      seen.add(id);
      try {
        found.push(...(await terminateOne(handle.client.getHandle(id), endedBy)));
        tree.ended.push(id);
      } catch (error) {
        // The server has ended it with its parent.
        if (error instanceof NavigatorError && (isAbsent(error) || error.code === "already_over")) tree.ended.push(id);
        else tree.left.push({ workflow_id: id, message: (error as Error).message });
      }
    }
  }
}

/** @returns the runs that it had started, and that had not ended */
async function terminateOne(handle: WorkflowHandle, endedBy: EndedBy): Promise<string[]> {
  await runningId(handle);
  const { raw } = await ask(() => handle.describe());
  const open = raw.pendingActivities ?? [];
  const keeping = open.filter(({ activityType }) => activityType?.name === RUN_CALLS);
  const kept = withinLimit(keeping.flatMap(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? []));
  const { workflowService, options } = handle.client;
  // The SDK's own `terminate` takes no details, and would encode these once more.
  await ask(() =>
    workflowService.terminateWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      // A later workflow may have the same id.
      firstExecutionRunId: raw.workflowExecutionInfo?.firstRunId ?? null,
      identity: options.identity,
      reason: reasonText(endedBy),
      details: kept.length === 0 ? null : { payloads: kept },
    }),
  );
  return (raw.pendingChildren ?? []).flatMap(({ workflowId }) =>
    workflowId && isBelow(workflowId, handle.workflowId) ? [workflowId] : [],
  );
}

/** As many as one event can contain: to end the workflow matters more. */
function withinLimit<P extends { data?: Uint8Array | null }>(payloads: readonly P[]): P[] {
  let bytes = 0;
  return payloads.filter(({ data }) => {
    const all = bytes + (data?.length ?? 0);
    if (all > MAX_PAYLOAD_BYTES) return false;
    bytes = all;
    return true;
  });
}

const PAGE = 1_000;

/** The workflow ids of the open runs below a workflow, as the server lists them. */
async function runningBelow({ client, workflowId }: WorkflowHandle): Promise<string[]> {
  const { workflowService, options } = client;
  const below = JSON.stringify(belowPrefix(workflowId));
  const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH ${below}`;
  const ids: string[] = [];
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const token = nextPageToken ? { nextPageToken } : {};
    const page = await ask(() =>
      workflowService.listWorkflowExecutions({ namespace: options.namespace, query, pageSize: PAGE, ...token }),
    );
    ids.push(...(page.executions ?? []).flatMap(({ execution }) => execution?.workflowId ?? []));
    nextPageToken = page.nextPageToken;
  } while (nextPageToken && nextPageToken.length > 0);
  return ids;
}

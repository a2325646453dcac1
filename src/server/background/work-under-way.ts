import type { Connection } from "@temporalio/client";
import { inProject } from "../../client/listing/project-filter";
import type { ProjectName } from "../../core/base/ids";

/** How many runs are asked for at once. */
const PAGE = 200;
/** How many are looked at at the same moment. */
const AT_ONCE = 10;
/** The service answers within milliseconds, also about thousands of runs that wait. */
const LIMIT_MS = 30_000;
/** The type of the failure of a call that no worker can make. */
const MISSING = "configuration_error";
/** Temporal's number for a call that a worker makes now. */
const STARTED = 2;

/**
 * Whether something of the project works now, of whatever kind: a call of a model, a tool or anything else is open, or the next
 * step is. A mission that waits for a person, a time, or a missing tool or key does not work: it continues when the next session starts.
 *
 * It asks the service itself: what is encrypted needs no key here.
 */
export async function isWorkUnderWay(
  connection: Pick<Connection, "workflowService" | "withDeadline">,
  where: { namespace: string; project: ProjectName },
): Promise<boolean> {
  return connection.withDeadline(Date.now() + LIMIT_MS, () => isOneUnderWay(connection, where));
}

async function isOneUnderWay(
  { workflowService }: Pick<Connection, "workflowService">,
  { namespace, project }: { namespace: string; project: ProjectName },
): Promise<boolean> {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await workflowService.listWorkflowExecutions({
      namespace,
      pageSize: PAGE,
      query: `ExecutionStatus = "Running" AND ${inProject(project)}`,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    const all = page.executions ?? [];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const looked = await Promise.all(
        all
          .slice(at, at + AT_ONCE)
          .map(({ execution }) =>
            workflowService.describeWorkflowExecution({ namespace, ...(execution ? { execution } : {}) }),
          ),
      );
      if (looked.some((run) => run.pendingWorkflowTask || (run.pendingActivities ?? []).some(isOpen))) return true;
    }
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
  return false;
}

type Described = Awaited<ReturnType<Connection["workflowService"]["describeWorkflowExecution"]>>;
type PendingCall = NonNullable<Described["pendingActivities"]>[number];

/** A call that no worker can make, as none has its tool or model, is tried again and again, and does nothing. */
const isOpen = ({ state, lastFailure }: PendingCall): boolean =>
  state === STARTED || lastFailure?.applicationFailureInfo?.type !== MISSING;
